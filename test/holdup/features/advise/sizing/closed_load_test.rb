# frozen_string_literal: true

require "test_helper"
require "support/simulated_recording"

module Holdup::Advise::Sizing
  class ClosedLoadTest < Minitest::Test
    # Connections in turn, each number for 20 s.
    RAMP = [1, 2, 3, 5, 8].freeze
    PLANTED = {seed: 1, connections: RAMP, minutes: 5, threads: 5}.freeze

    def ramp(**) = SimulatedRecording.new(**PLANTED, **)

    one_ruby def test_a_load_test_that_steps_through_connections
      found = ClosedLoad.new(ramp.all)
      assert found.closed?
      assert_equal RAMP, found.levels.map(&:population)
      found.levels.each { |level| assert_in_delta 60, level.seconds, 15, level.population.to_s }
      assert_equal 8, found.peak
    end

    # The probe tells how many each unit found in its process, and its queue time the rest.
    def test_a_sample_of_it
      recording = SimulatedRecording.new(seed: 1, connections: RAMP, minutes: 2)
      assert_operator recording.unit_samples.size, :<, recording.all.size / 2
      found = ClosedLoad.new(recording.unit_samples)
      assert found.closed?
      assert_equal RAMP.min, found.levels.first.population
      assert_in_delta RAMP.max, found.peak, 1
    end

    # Of few units, chance makes five seconds differ by more than a connection.
    one_ruby def test_a_sample_of_a_load_that_stays_as_it_is
      recording = SimulatedRecording.new(seed: 3, connections: [8], minutes: 4)
      assert_equal [8], ClosedLoad.new(recording.unit_samples).levels.map(&:population)
    end

    # The machine's speed changes from minute to minute, and so do the units' times.
    def test_units_of_a_level_follow_each_other_minute_by_minute
      units = Array.new(1200) do |index|
        ExampleUnits.unit_sample(index * 200, running_ns: (1 + index / 300) * 1_000_000)
      end
      level = ClosedLoad::ClosedLevel.new(population: 2, unit_samples: units, seconds: 240.0)
      load = ClosedLoad.new(units)
      mixed, ordered = [false, true].map do |in_order|
        load.stub(:levels, [level]) do
          trace = load.traces(ThreadPools::ONE, units: 1000, seed: 1, in_order:, &:itself).first.trace
          trace.units.map(&:held_ns)
        end
      end
      assert_equal mixed.sort, ordered
      refute_equal mixed, ordered
    end

    # A few units of each step are kept. From the first to the last of them is shorter than the step.
    one_ruby def test_a_sample_shows_what_was_served
      recording = SimulatedRecording.new(seed: 2, connections: [6, 9, 12], turn_s: 10, minutes: 4)
      served = recording.all.size * 1e9 / (recording.all.map(&:end_ns).max - recording.all.first.start_ns)
      kept = ClosedLoad.new(recording.unit_samples)
      found = kept.saturation(5)
      few = kept.levels.sum { |level| level.unit_samples.size }
      assert_in_epsilon served, found.throughput, 1.645 / Math.sqrt(few)
      assert_operator found.chance(0.0), :>=, 1.645 / Math.sqrt(few) * 0.9, "only some are known"
      assert_in_delta 0, ClosedLoad.new(recording.all).saturation(5).chance(0.0)
    end

    # Chance leaves fewer than five of them in many cells; without those it would be 7 % more.
    one_ruby def test_a_thin_sample_of_a_steady_load_shows_what_was_served
      recording = SimulatedRecording.new(seed: 4, connections: [8], minutes: 6)
      served = recording.all.size * 1e9 / (recording.all.map(&:end_ns).max - recording.all.first.start_ns)
      errors = Array.new(8) do |seed|
        kept = recording.all.sample(450, random: Random.new(seed))
        kept.map! { |unit| unit.with(weight: recording.all.size.fdiv(kept.size)) }
        ClosedLoad.new(kept).saturation(5).throughput / served - 1
      end
      assert_in_delta 0, errors.sum / errors.size, 0.02
    end

    # It never finds others in its process, whether it waited for the only thread or not.
    one_ruby def test_a_sample_of_one_thread_that_is_free_at_times
      shape = {"A#a" => SimulatedRecording::Endpoint.new(held_ms: 40, idle_ms: 1, acquisitions: 2, share: 1.0,
        sigma: 0.6)}
      recording = SimulatedRecording.new(seed: 3, endpoints: shape, rate: 15, minutes: 15, threads: 1,
        sway: 0.0)
      found = ClosedLoad.new(recording.unit_samples)
      refute_empty found.levels, "by chance"
      assert_nil found.saturation(1)
    end

    one_ruby def test_arrivals_that_do_not_wait_for_answers
      [10, 28, 45].each do |rate|
        recording = SimulatedRecording.new(seed: 3, minutes: 4, rate:, sway: 0.2)
        [recording.all, recording.unit_samples].each do |units|
          refute ClosedLoad.new(units).closed?, rate.to_s
        end
      end
    end

    # Two of three minutes without a pause between the requests of one connection.
    def test_one_connection_is_told_from_rare_requests
      assert ClosedLoad.new(SimulatedRecording.new(seed: 1, connections: [1], minutes: 2).all).closed?
      refute ClosedLoad.new(SimulatedRecording.new(seed: 1, rate: 4, sway: 0.0, minutes: 2).all).closed?
    end

    # Those that waited in a queue for half a minute were in no thread meanwhile.
    one_ruby def test_jobs_arrive_when_a_thread_takes_them
      jobs = ramp.all.map do |unit|
        series = Holdup::Series.new(kind: :job, name: unit.series.name)
        unit.with(series:, queued_ns: 30 * 1_000_000_000)
      end
      assert_equal [1, 2, 3, 5], ClosedLoad.new(jobs).levels.map(&:population)
    end

    one_ruby def test_throughput_where_all_threads_had_units
      recording = ramp
      found = ClosedLoad.new(recording.all).saturation(5)
      expected = Replay.closed(Trace.of(recording.all), Scenario.of(processes: 1, threads: 5, vcpus: 8), 5)
      assert_in_epsilon expected.throughput, found.throughput, 0.05
      assert_nil ClosedLoad.new(recording.all).saturation(9)
      assert_in_delta 1.645 * Math.sqrt(2.0 / found.units), found.chance(2.0), 1e-9
    end

    # Units go to any process, so with as many connections as threads some threads have none.
    one_ruby def test_several_processes_are_saturated_when_all_threads_have_units
      saturations = [10, 100].map do |connections|
        recording = ramp(connections: [connections], processes: 2, minutes: 1, rate: 40)
        ClosedLoad.new(recording.all).saturation(10, processes: 2)
      end
      one = ClosedLoad.new(ramp(connections: [12], minutes: 1).all).saturation(5)
      assert_nil saturations.first
      assert_in_epsilon 2 * one.throughput, saturations.last.throughput, 0.05
    end

    # The next step begins three seconds later, in the middle of a cell.
    def test_a_pause_after_a_step_is_not_part_of_it
      first = ramp(connections: [5], minutes: 1.0 / 3).all
      later_ns = first.map(&:end_ns).max - first.first.start_ns + 3_000_000_000
      both = first + first.map { |unit| unit.with(start_ns: unit.start_ns + later_ns) }
      alone, twice = [first, both].map { |units| ClosedLoad.new(units).levels }
      assert_equal [5], twice.map(&:population)
      assert_in_epsilon alone.first.throughput, twice.first.throughput, 0.01
      assert_includes 30..40, twice.first.seconds
    end

    def test_no_units
      none = ClosedLoad::NONE
      assert_equal [false, [], []], [none.closed?, none.levels, none.cells]
    end
  end
end
