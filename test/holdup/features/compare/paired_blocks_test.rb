# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Compare
  class PairedBlocksTest < Minitest::Test
    START_S = 20_000 * 86_400
    NS = 1_000_000_000
    BLOCK_S = 120
    SETTINGS = %w[control candidate].to_h { |arm|
      [arm, Holdup::Setting.new(attributes: {"server" => "puma", "threads" => 5, "arm" => arm})]
    }.freeze
    METRIC = Comparison::Metric::ALL.fetch(:wall_p95)
    WALL = Comparison::Metric::ALL.fetch(:wall_mean)

    # A turn of each arm in each block. Requests take as long as the machine is slow, squared; those of the
    # candidate a fifth less.
    def setup
      random = Random.new(4)
      @slow = Array.new(48) { random.rand(-0.2..0.2) }
      @swings = Array.new(48) { random.rand(-0.02..0.02) }
      @worse = Hash.new(1.0)
    end

    def side(arm, samples: true)
      windows = Array.new(24) { |block| window(arm, block) }
      Side.new(label: arm, windows:, samples: samples ? self.samples : [], from_s: START_S,
        to_s: START_S + 24 * BLOCK_S)
    end

    def turn(arm, block) = 2 * block + ((arm == "control") ? 0 : 1)

    def window(arm, block, count: 100)
      faster = (arm == "candidate") ? 0.8 : 1.0
      ms = 50 * faster * @worse[block] * Math.exp(2 * @slow[turn(arm, block)] + @swings[turn(arm, block)])
      wall = Holdup::Histogram.of(Array.new(count) { |index| (ms * 1e6 * Math.exp(index * 0.02 - 1)).round })
      empty = Holdup::Window.empty(series: Holdup::Series.new(kind: :request, name: "A#b"), host: "a",
        setting: SETTINGS.fetch(arm), start_s: START_S + 60 * turn(arm, block), seconds: 60)
      empty.with(count:, histograms: empty.histograms.merge(wall:),
        sums: empty.sums.merge(cpu_ns: (wall.sum / 3)))
    end

    def samples
      SETTINGS.flat_map do |arm, setting|
        keys = Holdup::Analysis::Machine::ArmWork.keys(setting.fingerprint)
        Array.new(24) do |block|
          at_s = START_S + 60 * turn(arm, block) + 30
          ns = (900_000 * Math.exp(@slow[turn(arm, block)])).round
          {at_s: at_s + 30, host: "a", pid: 0, fixed_work_ns: ns, **keys.zip([ns, at_s]).to_h}
        end
      end
    end

    def estimate(metric, turns: true, samples: true)
      sides = SETTINGS.keys.map { |arm| side(arm, samples:) }
      blocks = Holdup::Experiment::Result::ArmBlocks.new(sides, length_s: BLOCK_S)
      Comparison.new(*sides, percentiles: %i[wall], blocks:, turns:).estimate(metric)
    end

    def test_the_machines_speed_is_taken_out
      found = estimate(WALL)
      assert_in_delta(-0.2, found.relative, 0.01)
      assert_includes found.interval, -0.2
      assert_operator found.deviation, :<, estimate(WALL, samples: false).deviation / 4
    end

    def test_percentiles_are_compared_in_pairs_too
      found = estimate(METRIC)
      assert_in_delta(-0.2, found.relative, 0.03)
      assert_operator found.deviation, :<, estimate(METRIC, turns: false).deviation / 3
    end

    # It has as many requests as the others, and most of the time of all.
    def test_a_bad_block_is_one_of_many
      @worse[7] = 40.0
      @slow.map! { 0.0 }
      @swings[turn("candidate", 7)] = 0.2
      assert_operator estimate(WALL, turns: false).deviation, :>, 2 * estimate(WALL).deviation
    end

    # In the usual turn the candidate takes a fifth less, in a bad one so much more that all requests together
    # take longer: no interval may say that it is better.
    def test_no_verdict_for_a_candidate_that_is_worse_in_bad_turns
      @slow.map! { 0.0 }
      @worse[7] = 400.0
      @swings[turn("candidate", 7)] = 0.6
      found = estimate(WALL)
      assert_operator found.relative, :>, 0
      refute_equal :better, found.verdict
    end

    def test_figures_that_most_turns_lack_are_resampled
      errors = Comparison::Metric::ALL.fetch(:errors)
      assert_equal estimate(errors, turns: false), estimate(errors)
    end
  end

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
