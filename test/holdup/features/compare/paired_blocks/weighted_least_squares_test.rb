# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Compare
  class PairedBlocks::WeightedLeastSquaresTest < Minitest::Test
    def fit(values, rows = [], weights: Array.new(values.size, 1.0))
      PairedBlocks::WeightedLeastSquares.new(values, rows, weights:)
    end

    def test_without_a_covariate_it_is_the_mean
      found = fit([1.0, 2.0, 3.0, 6.0])
      assert_in_delta 3.0, found.level
      assert_equal 3, found.freedom
      assert_operator found.deviation, :>=, Math.sqrt(14.0 / 3 / 4)
    end

    def test_covariates_explain_what_follows_them
      one = [0.5, -1.0, 2.0, 0.0, 1.5, -0.5]
      other = [1.0, 0.0, -1.0, 2.0, 0.5, -2.0]
      found = fit(one.zip(other).map { |a, b| 0.3 + 2 * a - b }, [one, other])
      assert_in_delta 0.3, found.level, 1e-9
      assert_in_delta 0.0, found.deviation, 1e-9
      assert_equal 3, found.freedom
    end

    def test_leaves_out_covariates_that_follow_from_others
      one = [0.5, -1.0, 2.0, 0.0, 1.5, -0.5]
      other = [1.0, 0.0, -1.0, 2.0, 0.5, -2.0]
      same = one.zip(other).map { |a, b| 3 * a - 2 * b + 1 }
      values = [1.2, -0.4, 1.9, 0.1, 0.7, -0.3]
      found = fit(values, [one, Array.new(6, 2.0), other, same])
      assert_equal [0, 2], found.independent
      assert_in_delta fit(values, [one, other]).level, found.level, 1e-12
      assert_in_delta fit(values, [one, other]).deviation, found.deviation, 1e-12
      assert_equal 3, found.freedom
    end

    def test_values_with_less_weight_count_for_less
      assert_in_delta 1.5, fit([1.0, 3.0], weights: [0.75, 0.25]).level
    end

    # Of a mean of normal values, Student's interval has the truth in 95 %.
    def test_intervals_have_the_truth_as_often_as_they_say
      random = Random.new(2)
      normal = -> { Math.sqrt(-2 * Math.log(1 - random.rand)) * Math.cos(2 * Math::PI * random.rand) }
      held = Array.new(400) do
        row = Array.new(12) { normal.call }
        found = fit(row.map { |value| 0.5 * value + normal.call }, [row])
        found.level.abs <= found.deviation * Estimate::StudentDistribution.quantile(0.975, found.freedom)
      end
      assert_operator held.count(true), :>=, 376
    end
  end
end
