# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_units"

module Holdup::Analysis
  class BootSpreadTest < Minitest::Test
    OTHER = Holdup::Setting.new(attributes: {"ruby" => "3.4.5", "threads" => 3})
    MS = 1_000_000

    def normal(random)
      Math.sqrt(-2 * Math.log(1 - random.rand)) * Math.cos(2 * Math::PI * random.rand)
    end

    # Units of processes that hold the GVL for so many times as long as usual, each unit as it happens.
    # @param minutes [Integer] that each process lives; `apart`: one process after the other
    def units(factors, seed: 1, minutes: 60, a_minute: 6, apart: false, first_pid: 1, **rest)
      random = Random.new(seed)
      factors.each_with_index.flat_map do |factor, index|
        process = ExampleUnits::PROCESS.with(pid: first_pid + index)
        Array.new(minutes * a_minute) do |number|
          running_ns = (8 * MS * factor * Math.exp(0.6 * normal(random) - 0.18)).round
          at_ms = number * 60_000.0 / a_minute + (apart ? index * minutes * 60_000 : 0)
          ExampleUnits.unit_sample(at_ms, process:, running_ns:, idle_ns: 0, stalled_ns: 0, **rest)
        end
      end
    end

    def estimate(unit_samples, measure = :running) = BootSpread.new(unit_samples, measure).call

    # Their standard deviation is 0.1.
    DIFFERENT = [0.87, 0.96, 1.04, 1.115].freeze

    def test_finds_what_processes_differ_by
      found = (1..4).map { |seed| estimate(units(DIFFERENT, seed:)) }
      assert_equal [4], found.map(&:processes).uniq
      assert_in_delta 0.105, found.sum(&:found) / found.size, 0.02
      assert_in_delta 0.105, found.sum(&:deviation) / found.size, 0.02
      refute found.any?(&:assumed?)
    end

    def test_chance_is_no_difference
      found = (1..8).map { |seed| estimate(units([1.0] * 8, seed:)) }
      assert_operator found.sum(&:found) / found.size, :<, 0.02
      assert_operator found.map(&:deviation).max, :<, 0.08
    end

    def test_the_fewer_processes_the_more_is_assumed
      two, eight = [2, 8].map { |count| estimate(units([1.0] * count)).deviation }
      assert_operator eight, :<, two
      assert_operator two, :<, BootSpread::ASSUMED
    end

    def test_one_process_shows_nothing
      [[], units([1.0])].each do |some|
        found = estimate(some)
        assert_predicate found, :assumed?
        assert_equal [BootSpread::ASSUMED, BootSpread::ASSUMED_FREEDOM, 0],
          found.to_h.values_at(:deviation, :freedom, :processes)
      end
      assert_equal 2 * BootSpread::ASSUMED, estimate([], :wait).deviation
    end

    # Three quarters are idle: a database is as fast whichever process asks it.
    def test_idle_time_does_not_depend_on_the_boot
      idle = units([1.0]).map { |unit| unit.with(idle_ns: 3 * unit.running_ns) }
      assert_in_delta BootSpread::ASSUMED / 4, estimate(idle, :wall).deviation, 1e-3
      assert_equal BootSpread::ASSUMED, estimate(idle, :running).deviation
      waits = idle.map { |unit| unit.with(stalled_ns: unit.idle_ns, idle_ns: 0) }
      assert_in_delta BootSpread::ASSUMED * (1 + 2 * 3) / 4, estimate(waits, :wall).deviation, 1e-3
    end

    def test_a_short_time_shows_nothing
      assert_predicate estimate(units([0.8, 1.2], minutes: 1, a_minute: 200)), :assumed?
    end

    # A slower minute of the machine is slower for all processes, and one has more of the slow endpoint.
    def test_neither_the_machine_nor_the_mix_counts
      slower = units(DIFFERENT).map do |unit|
        late = (unit.start_ns / 1_200_000_000_000).odd?
        unit.with(running_ns: unit.running_ns * (late ? 2 : 1))
      end
      assert_in_delta estimate(units(DIFFERENT)).found, estimate(slower).found, 0.03
      mixed = units([1.0] * 4) + units([10.0] * 4, a_minute: 2, name: "B#slow", seed: 9)
      uneven = mixed.each_with_index.reject do |unit, index|
        unit.process.pid == 1 && unit.series.name == "B#slow" && index % 4 > 0
      end
      assert_operator estimate(uneven.map(&:first)).found, :<, 0.05
    end

    def test_settings_are_not_compared_with_each_other
      both = units([1.0, 1.0]) + units([2.0, 2.0], setting: OTHER, first_pid: 10, seed: 2)
      found = estimate(both)
      assert_equal 4, found.processes
      assert_operator found.found, :<, 0.06
    end

    # A deploy at noon: two processes before, two after, on a machine that is slower then.
    def test_processes_before_and_after_a_restart_add_up
      later = units([1.5, 1.5], first_pid: 10, seed: 2).map do |unit|
        unit.with(start_ns: unit.start_ns + 3600 * 1_000_000_000)
      end
      found = estimate(units([1.0, 1.0]) + later)
      assert_equal 4, found.processes
      assert_operator found.found, :<, 0.06
    end

    def test_processes_one_after_the_other_are_compared_too
      found = (1..4).map { |seed| estimate(units(DIFFERENT, seed:, apart: true)) }
      assert_equal [4], found.map(&:processes).uniq
      assert_in_delta 0.105, found.sum(&:found) / found.size, 0.03
    end

    SPREAD = BootSpread::SpreadEstimate.new(deviation: 0.1, freedom: 18, found: 0.1, processes: 4)

    def test_more_processes_differ_less_in_the_mean
      assert_in_delta 1.734 * 0.1 * Math.sqrt(2), SPREAD.share(1, 1), 0.002
      assert_in_delta SPREAD.share(1, 1) / 2, SPREAD.share(4, 4), 1e-9
    end

    def test_factors_of_a_round_are_as_far_apart
      logs = Array.new(400) { |seed| Math.log(SPREAD.factor(Random.new(seed), 2, 2)) }
      inside = logs.count { |log| log.abs <= SPREAD.share(2, 2) }
      assert_in_delta 0.9, inside.fdiv(logs.size), 0.04
      assert_in_delta 0.0, logs.sum / logs.size, 0.02
    end

    def test_waiting_is_queued_and_stalled
      found = estimate(units([1.0, 1.0]).map { |unit|
        unit.with(queued_ns: (unit.process.pid == 1) ? 2 * MS : 4 * MS)
      }, :wait)
      assert_in_delta Math.log(2) / Math.sqrt(2), found.found, 0.02
    end
  end
end
