# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Exchange::PercentileTest < Minitest::Test
  def test_is_the_smallest_value_that_enough_others_do_not_exceed
    sorted = (1..100).to_a
    assert_equal [1, 50, 95, 99, 100],
      [0, 0.5, 0.95, 0.99, 1.0].map { |q| Holdup::Lab::Exchange::Percentile.of(sorted, q) }
  end

  def test_of_one_value_is_that_value
    assert_equal [7, 7, 7], [0, 0.5, 1.0].map { |q| Holdup::Lab::Exchange::Percentile.of([7], q) }
  end

  def test_is_nil_without_values
    assert_nil Holdup::Lab::Exchange::Percentile.of([], 0.5)
  end
end
