# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Experiment::Result::AlphaSpendingTest < Minitest::Test
  AlphaSpending = Holdup::Experiment::LookSchedule::AlphaSpending
  # Two-sided, 5 %, looks at equal distances: as printed by the programs of Reboussin, DeMets, Kim & Lan
  # (Computations for group sequential boundaries, Controlled Clinical Trials 21, 2000).
  PUBLISHED = {1 => [1.9600], 2 => [2.9626, 1.9686], 3 => [3.7103, 2.5114, 1.9930],
               5 => [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]}.freeze

  def test_boundaries_are_the_published_ones
    PUBLISHED.each do |looks, published|
      found = AlphaSpending.new((1..looks).to_a).boundaries
      published.zip(found) do |expected, boundary|
        assert_in_delta expected, boundary, 0.003, "#{looks} looks"
      end
    end
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
    assert_in_delta 0.9969, levels.first, 0.0001
    assert_in_delta 0.9510, levels.last, 0.0002
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
