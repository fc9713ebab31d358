# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Experiment::Result::AlphaSpendingTest < Minitest::Test
  AlphaSpending = Holdup::Experiment::LookSchedule::AlphaSpending

  # The first of five looks has a 25th of the error, which a difference of 3.1 standard errors crosses.
  def test_the_first_look_can_find_something
    assert_in_delta 3.09, AlphaSpending.new([12, 24, 36, 48, 60]).boundaries.first, 0.01
    assert_in_delta 1.96, AlphaSpending.new([60]).boundaries.first, 0.001
  end

  def test_the_last_look_needs_little_more_than_a_single_one
    boundaries = AlphaSpending.new([12, 24, 36, 48, 60]).boundaries
    assert_equal boundaries.sort.reverse, boundaries
    assert_operator boundaries.last, :<, 2.2
  end

  def test_all_looks_together_find_something_in_five_percent_of_walks_without_a_difference
    boundaries = AlphaSpending.new([10, 20, 30, 40, 50]).boundaries
    random = Random.new(3)
    crossed = 4000.times.count { crosses?(boundaries, random) }
    assert_in_delta 0.05, crossed / 4000.0, 0.012
  end

  def test_a_smaller_error_needs_farther_boundaries
    usual, strict = [0.05, 0.01].map { |alpha| AlphaSpending.new([1, 2, 3], alpha:).boundaries }
    usual.zip(strict) { |one, other| assert_operator other, :>, one }
  end

  def test_an_end_before_the_plan_spends_all_that_is_left
    early = AlphaSpending.new([20, 27], planned: 100).boundaries
    assert_in_delta AlphaSpending.new([20, 100]).boundaries.first, early.first, 1e-6
    assert_in_delta 1.96, early.last, 0.02
  end

  def test_levels_are_those_of_two_sided_intervals
    levels = AlphaSpending.new([1, 2]).levels
    assert_in_delta 0.9875, levels.first, 0.0001
    assert_includes 0.955..0.96, levels.last
  end

  private

  def crosses?(boundaries, random)
    sum = 0.0
    boundaries.each_with_index.any? do |boundary, look|
      sum += Math.sqrt(-2 * Math.log(1 - random.rand)) * Math.cos(2 * Math::PI * random.rand)
      sum.abs / Math.sqrt(look + 1) > boundary
    end
  end
end
