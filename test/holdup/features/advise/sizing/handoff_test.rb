# frozen_string_literal: true

require "test_helper"
require "support/simulated_recording"

module Holdup::Advise::Sizing
  class HandoffTest < Minitest::Test
    def trace
      @trace ||= Trace.of(SimulatedRecording.new(seed: 3, minutes: 2, rate: 20, threads: 5, sway: 0.1).all)
    end

    def figures(handoff_ns)
      outcome = Replay.call(trace, Scenario.of(processes: 1, threads: 5, vcpus: 2, handoff_ns:))
      Handoff::HandoffTimes.new(handoff_ns: outcome.handoff_ns,
        wait_ns: outcome.mean(:queued) + outcome.mean(:stalled))
    end

    def fit(measured, **options)
      Handoff.fit(measured, **options) { |handoff_ns| figures(handoff_ns) }
    end

    def test_between_two_numbers_of_waiting_threads
      table = [10, 20, 60]
      expected = [10, 10, 15, 20, 40, 60, 60]
      assert_equal expected, [0, 1, 1.5, 2, 2.5, 3, 9].map { |waiting| Handoff.with_waiting(table, waiting) }
      assert_equal 30, Handoff.with_waiting(30, 5)
    end

    # Five threads under 2, 3, 4, 5 and 8 connections, 1,500 units each: what is planted, to 8 us.
    def test_hand_offs_by_the_number_of_waiting_threads
      demand = ServiceDemand.new(held_ns: 20e6, idle_ns: 10e6, acquisitions: 100)
      unit = Trace::TraceUnit.new(arrival_ns: 0, held_ns: 20_000_000, idle_ns: 10_000_000, acquisitions: 100)
      [[20_000, 45_000, 70_000, 95_000], [90_000, 70_000, 50_000, 30_000], [50_000]].each do |handoff_ns|
        levels = [2, 3, 4, 5, 8].map { |population| served(unit, population, handoff_ns) }
        found = Handoff.by_waiting(levels, demand, threads: 5)
        expected = (1..4).map { |waiting| Handoff.with_waiting(handoff_ns, waiting) }
        expected.zip(found) { |planted, fitted| assert_in_delta planted, fitted, 8_000, handoff_ns.inspect }
        assert_equal found[4], found.last, "as with the most that was seen"
      end
    end

    # At a level at which the machine was slow, what it served says nothing of hand-offs.
    def test_a_level_on_a_slow_machine_is_compared_with_a_slow_model
      demand = ServiceDemand.new(held_ns: 20e6, idle_ns: 10e6, acquisitions: 100)
      samples = [800_000, 1_200_000].each_with_index.map do |fixed_work_ns, minute|
        {at_s: ExampleUnits::START_S + 60 * (minute + 1), host: "a", fixed_work_ns:}
      end
      fast, slow = [30_000, 90_000].map { |at_ms| ExampleUnits.unit_sample(at_ms, weight: 1500.0) }
      speed = SpeedEffect.new(SpeedEffect::HostSlowness.of(samples, [fast, slow]),
        running: SpeedEffect::SpeedExponent.new(value: 1.0, deviation: 0.1),
        idle: SpeedEffect::SpeedExponent::NONE)
      levels = [[2, fast], [3, fast], [4, slow], [5, slow]].map do |population, unit_sample|
        held_ns = (20e6 * Math.exp(speed.slowness(unit_sample))).round
        unit = Trace::TraceUnit.new(arrival_ns: 0, held_ns:, idle_ns: 10_000_000, acquisitions: 100)
        served(unit, population, 40_000, unit_samples: [unit_sample])
      end
      known, unknown = [speed, SpeedEffect::NONE].map do |one|
        Handoff.by_waiting(levels, demand, threads: 5, speed: one)
      end
      known.first(4).each { |fitted| assert_in_delta 40_000, fitted, 8_000 }
      assert_operator unknown.first(4).max - unknown.first(4).min, :>, 40_000
    end

    def served(unit, population, handoff_ns, unit_samples: [ExampleUnits.unit_sample(weight: 1500.0)])
      scenario = Scenario.of(processes: 1, threads: 5, vcpus: 4, handoff_ns:)
      outcome = Replay.closed(Trace.new([unit] * 1500), scenario, population)
      ClosedLoad::ClosedLevel.new(population:, unit_samples:, seconds: outcome.elapsed_ns / 1e9)
    end

    def test_one_level_shows_no_difference
      demand = ServiceDemand.new(held_ns: 20e6, idle_ns: 10e6, acquisitions: 100)
      unit_samples = [ExampleUnits.unit_sample(weight: 500.0)]
      level = ClosedLoad::ClosedLevel.new(population: 3, unit_samples:,
        seconds: 20)
      assert_nil Handoff.by_waiting([level], demand, threads: 5)
      assert_nil Handoff.by_waiting([], demand, threads: 5)
    end

    # Waits that are longer for another reason, such as luck, are no hand-off.
    def test_none_where_none_was_counted
      without = figures(0)
      longer = without.with(wait_ns: 1.3 * without.wait_ns)
      assert_equal 0, fit(longer.with(handoff_ns: 0.0))
      assert_operator fit(longer.with(handoff_ns: nil)), :>, 20_000
    end

    def test_finds_the_one_that_there_was
      [5_000, 20_000, 60_000].each { |truth| assert_in_epsilon truth, fit(figures(truth)), 0.05 }
    end

    # Other waits, which the replay doesn't know, are not for it.
    def test_is_no_more_than_was_counted
      assert_in_epsilon 20_000, fit(figures(20_000).with(wait_ns: 2 * figures(20_000).wait_ns)), 0.03
    end

    # What was counted are waits for CPUs, most of all.
    def test_makes_no_wait_longer_than_it_was
      found = fit(figures(20_000).with(handoff_ns: figures(100_000).handoff_ns))
      assert_in_epsilon figures(20_000).wait_ns, figures(found).wait_ns, 0.01
    end

    # Waits of arrivals that come on their own vary much more than the time of a hand-off.
    def test_waits_that_are_shorter_by_chance_do_not_bound_it
      times = figures(60_000)
      shorter = times.with(wait_ns: 0.8 * times.wait_ns)
      assert_operator fit(shorter), :<=, Handoff::USUAL_NS
      assert_in_epsilon 60_000, fit(shorter, chance_ns: 0.25 * times.wait_ns), 0.05
    end

    def test_chance_makes_no_hand_off_that_was_not_counted
      times = figures(5_000).with(handoff_ns: nil)
      assert_equal fit(times), fit(times, chance_ns: 0.25 * times.wait_ns)
    end

    # A replay that waits too long without any hand-off errs elsewhere: with 0 every other setting would
    # change hands for nothing.
    def test_keeps_what_was_counted_where_no_handoff_is_small_enough
      found = fit(figures(20_000).with(wait_ns: 0.9 * figures(0).wait_ns))
      assert_in_epsilon 20_000, found, 0.05
    end

    # Then nothing shows how much of it were waits for CPUs.
    def test_is_no_more_than_usual_where_no_handoff_is_small_enough
      assert_equal Handoff::USUAL_NS, fit(figures(100_000).with(wait_ns: 0.9 * figures(0).wait_ns))
    end

    def test_is_none_where_no_handoff_is_small_enough_and_none_was_counted
      assert_equal 0, fit(figures(0).with(wait_ns: 0.9 * figures(0).wait_ns))
    end

    def test_fits_the_measured_waits_where_the_handoff_is_unknown
      found = fit(figures(60_000).with(handoff_ns: nil))
      assert_in_epsilon figures(60_000).wait_ns, figures(found).wait_ns, 0.01
    end

    def test_is_never_absurd
      much = figures(Handoff::LONGEST_NS).to_h.transform_values { |ns| ns * 10.0 }
      assert_equal Handoff::LONGEST_NS, fit(Handoff::HandoffTimes.new(**much))
    end

    def test_finds_nothing_without_waits
      assert_equal(Handoff::USUAL_NS,
        Handoff.fit(Handoff::HandoffTimes.new(handoff_ns: 0,
          wait_ns: 1.0)) { |_| Handoff::HandoffTimes.new(handoff_ns: 0.0, wait_ns: 1.0) })
    end
  end
end
