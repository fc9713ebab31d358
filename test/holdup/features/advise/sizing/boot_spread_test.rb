# frozen_string_literal: true

require "test_helper"
require "support/simulated_recording"

module Holdup::Advise::Sizing
  class BootSpreadTest < Minitest::Test
    Widened = BootSpread::WidenedGain
    # Each is simulated once: four processes for 40 minutes.
    RECORDED = {}

    def recorded(seed)
      RECORDED[seed] ||= SimulatedRecording.new(seed:, processes: 4, minutes: 40, rate: 12).unit_samples
    end

    # @param factors [Array<Float>] by which units of each process hold the GVL longer
    def units(seed, factors)
      processes = recorded(seed).map(&:process).uniq.sort_by(&:pid)
      by_process = processes.zip(factors).to_h
      recorded(seed).map do |unit|
        unit.with(running_ns: (unit.running_ns * by_process.fetch(unit.process)).round)
      end
    end

    def estimate(seed, factors) = BootSpread.new(units(seed, factors)).call

    # Their standard deviation is 0.1.
    DIFFERENT = [0.87, 0.96, 1.04, 1.115].freeze

    def test_finds_what_processes_differ_by
      found = (1..4).map { |seed| estimate(seed, DIFFERENT) }
      assert_equal [4], found.map(&:processes).uniq
      assert_in_delta 0.105, found.sum(&:deviation) / found.size, 0.03
    end

    # Units of the same processes differ by chance, too.
    def test_finds_little_where_processes_are_alike
      found = (1..8).map { |seed| estimate(seed, [1.0] * 4).deviation }
      assert_operator found.count(&:zero?), :>=, 6, found.inspect
    end

    # A slower minute of the machine is slower for all of them.
    def test_the_speed_of_the_machine_does_not_count
      slower = units(1, DIFFERENT).map do |unit|
        half = unit.start_ns / 1_200_000_000_000 % 2
        unit.with(running_ns: unit.running_ns * (half + 1))
      end
      assert_in_delta estimate(1, DIFFERENT).deviation, BootSpread.new(slower).call.deviation, 0.03
    end

    def test_unknown_of_one_process
      first = recorded(1).first.process
      assert_nil BootSpread.new(recorded(1).select { |unit| unit.process == first }).call
      assert_nil BootSpread.new([]).call
    end

    def test_unknown_of_a_short_time
      start_ns = recorded(1).map(&:start_ns).min
      assert_nil BootSpread.new(recorded(1).select { |unit| unit.start_ns < start_ns + 600_000_000_000 }).call
    end

    def test_more_processes_differ_less_in_the_mean
      spread = BootSpread::SpreadEstimate.new(deviation: 0.1, processes: 4)
      assert_in_delta 1.645 * 0.1 * Math.sqrt(2), spread.share(1, 1), 1e-9
      assert_in_delta spread.share(1, 1) / 2, spread.share(4, 4), 1e-9
    end

    def test_factors_of_a_round_are_as_far_apart
      spread = BootSpread::SpreadEstimate.new(deviation: 0.1, processes: 4)
      logs = Array.new(400) { |seed| Math.log(spread.factor(Random.new(seed), 2, 2)) }
      inside = logs.count { |log| log.abs <= spread.share(2, 2) }
      assert_in_delta 0.9, inside.fdiv(logs.size), 0.04
      assert_in_delta 0.0, logs.sum / logs.size, 0.02
    end

    def widened(slower:, faster:)
      spread = BootSpread::SpreadEstimate.new(deviation: 0.1, processes: 2)
      Widened.of(spread, 0.1..0.5, gain: 0.4, slower:, faster:)
    end

    def test_independent_causes_add_up_like_standard_deviations
      found = widened(slower: 0.0, faster: 0.4).interval
      assert_in_delta(-0.1, found.begin, 1e-9)
      assert_in_delta 0.5, found.end, 1e-9
      same = widened(slower: 0.4, faster: 0.4).interval
      assert_in_delta 0.1, same.begin, 1e-9
      assert_in_delta 0.5, same.end, 1e-9
    end

    def test_whether_the_draw_alone_makes_a_gain_uncertain
      assert_predicate widened(slower: 0.0, faster: 0.4), :decides?
      refute_predicate widened(slower: 0.4, faster: 0.4), :decides?
      refute_predicate widened(slower: 0.4, faster: 0.4).with(alone: -0.1..0.5), :decides?
      loss = widened(slower: 0.0, faster: 0.4).with(alone: -0.5..-0.1)
      assert_predicate loss.with(interval: -0.7..0.1), :decides?
      refute_predicate loss.with(interval: -0.7..-0.05), :decides?
    end
  end
end
