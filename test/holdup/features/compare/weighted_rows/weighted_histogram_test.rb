# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::WeightedRows::WeightedHistogramTest < Minitest::Test
  Density = Holdup::Compare::WeightedRows::WeightedHistogram
  VALUES = Array.new(5000) { |index| (5_000_000 * 1.0005**index).round }.freeze

  def test_quantiles_are_those_of_the_values
    density = Density.of(Holdup::Histogram.of(VALUES))
    [0.1, 0.5, 0.9, 0.99].each { |share|
      assert_in_epsilon VALUES[(share * VALUES.size).floor - 1], density.quantile(share), 0.005
    }
  end

  def test_a_small_shift_shows
    slower = VALUES.map { |value| (value * 1.01).round }
    before, after = [VALUES, slower].map do |values|
      Density.of(Holdup::Histogram.of(values)).quantile(0.95)
    end
    assert_in_delta 1.01, after / before, 0.002
  end

  def test_what_weighs_twice_counts_twice
    histogram = Holdup::Histogram.of([1_000_000] * 10 + [500])
    heavy = Density.weighted([[1_000_000, 2.0]] * 5 + [[500, 1.0]])
    assert_equal 11, heavy.mass
    assert_in_delta Density.of(histogram).quantile(0.5), heavy.quantile(0.5), 1
    assert_operator heavy.quantile(0.05), :<=, 1024
  end

  def test_without_values_there_is_no_quantile
    assert_nil Density.weighted([]).quantile(0.5)
  end
end
