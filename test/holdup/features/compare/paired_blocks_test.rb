# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_units"

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

    def side(arm, samples: true, unit_samples: false)
      windows = Array.new(24) { |block| window(arm, block) }
      units = unit_samples ? unit_samples(arm) : []
      Side.new(label: arm, windows:, samples: samples ? self.samples(equal: samples == :equal) : [],
        unit_samples: units, from_s: START_S, to_s: START_S + 24 * BLOCK_S)
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

    # @param equal [Boolean] whether the machine takes as long for its fixed work in all turns
    def samples(equal: false)
      SETTINGS.flat_map do |arm, setting|
        keys = Holdup::Analysis::Machine::ArmWork.keys(setting.fingerprint)
        Array.new(24) do |block|
          at_s = START_S + 60 * turn(arm, block) + 30
          ns = equal ? 900_000 : (900_000 * Math.exp(@slow[turn(arm, block)])).round
          {at_s: at_s + 30, host: "a", pid: 0, fixed_work_ns: ns, **keys.zip([ns, at_s]).to_h}
        end
      end
    end

    def estimate(metric, turns: true, **recorded)
      sides = SETTINGS.keys.map { |arm| side(arm, **recorded) }
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

    # All turns have 60 requests of one endpoint, at the same speed of the machine. In some they come one by
    # one, in others in crowds, and wait for each other.
    def test_how_close_to_each_other_requests_came_is_taken_out
      random = Random.new(7)
      @crowds = Array.new(48) { [1, 2, 3, 4, 5, 6].sample(random:) }
      @slow = @crowds.map { |crowd| Math.log((crowd + 1) / 2.0) / 2 }
      found = estimate(WALL, samples: :equal, unit_samples: true)
      assert_in_delta(-0.2, found.relative, 0.02)
      without = estimate(WALL, samples: :equal)
      assert_operator found.deviation, :<, without.deviation / 4
    end

    def unit_samples(arm)
      Array.new(24) { |block| turn(arm, block) }.flat_map do |turn|
        crowd = @crowds[turn]
        Array.new(60) do |index|
          came_ms = 1000 * (60 * turn + index / crowd * crowd)
          ExampleUnits.unit_sample(came_ms, setting: SETTINGS.fetch(arm), running_ns: 10_000_000,
            queued_ns: 0)
        end
      end
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

  class PairedBlocks::ArrivalReplayTest < Minitest::Test
    def unit(came_ms, running_ms: 10, queued_ms: 0, pid: 1, **rest)
      process = Holdup::UnitSample::SampledProcess.new(pid:, since_ns: 0)
      ExampleUnits.unit_sample(came_ms + queued_ms, process:, running_ns: running_ms * 1_000_000,
        queued_ns: queued_ms * 1_000_000, **rest)
    end

    def mean_ms(units, slowness: 1.0, usual: units)
      PairedBlocks::ArrivalReplay.new(usual).mean(units, slowness)&.fdiv(1_000_000)
    end

    def test_requests_that_come_together_wait_for_each_other
      assert_in_delta 10.0, mean_ms([unit(0), unit(50), unit(100)])
      assert_in_delta 20.0, mean_ms([unit(0), unit(0, queued_ms: 7), unit(0, queued_ms: 3)])
    end

    def test_each_holds_the_gvl_as_long_as_its_endpoint_does_on_average
      units = [unit(0, running_ms: 5), unit(50, running_ms: 15), unit(100, name: "C#d", running_ms: 40)]
      assert_in_delta 10.0, mean_ms(units.first(1), usual: units)
      assert_in_delta 20.0, mean_ms(units, usual: units)
    end

    def test_a_slower_machine_makes_queues_longer
      units = [unit(0), unit(10), unit(20)]
      assert_in_delta 10.0, mean_ms(units)
      assert_in_delta (20 + 30 + 40) / 3.0, mean_ms(units, slowness: 2.0)
    end

    def test_processes_do_not_wait_for_each_other
      assert_in_delta 10.0, mean_ms([unit(0), unit(0, pid: 2)])
    end

    def test_unknown_where_few_requests_are_stored
      assert_nil mean_ms([])
      assert_nil mean_ms([unit(0, weight: 5.0), unit(40, weight: 5.0)])
      assert_in_delta 20.0, mean_ms([unit(0, weight: 2.0), unit(40, weight: 2.0)])
    end
  end
end
