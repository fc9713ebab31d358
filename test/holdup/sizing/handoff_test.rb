# frozen_string_literal: true

require "test_helper"
require "support/simulated_recording"

module Holdup::Sizing
  class HandoffTest < Minitest::Test
    def trace
      @trace ||= Trace.of(SimulatedRecording.new(seed: 3, minutes: 2, rate: 20, threads: 5, sway: 0.1).all)
    end

    def figures(handoff_ns)
      outcome = Replay.call(trace, Scenario.of(processes: 1, threads: 5, vcpus: 2, handoff_ns:))
      Handoff::HandoffTimes.new(handoff_ns: outcome.handoff_ns,
        wait_ns: outcome.mean(:queued) + outcome.mean(:stalled))
    end

    def fit(measured)
      Handoff.fit(measured) { |handoff_ns| figures(handoff_ns) }
    end

    def test_between_two_numbers_of_waiting_threads
      table = [10, 20, 60]
      expected = [10, 10, 15, 20, 40, 60, 60]
      assert_equal expected, [0, 1, 1.5, 2, 2.5, 3, 9].map { |waiting| Handoff.with_waiting(table, waiting) }
      assert_equal 30, Handoff.with_waiting(30, 5)
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

    def test_fits_the_measured_waits_where_the_handoff_is_unknown
      found = fit(figures(60_000).with(handoff_ns: nil))
      assert_in_epsilon figures(60_000).wait_ns, figures(found).wait_ns, 0.01
    end

    def test_is_never_absurd
      much, little = [10.0,
        0.1].map { |times| figures(Handoff::LONGEST_NS).to_h.transform_values { |ns| ns * times } }
      assert_equal Handoff::LONGEST_NS, fit(Handoff::HandoffTimes.new(**much))
      assert_equal 0, fit(Handoff::HandoffTimes.new(**little, wait_ns: 0.5 * figures(0).wait_ns))
    end

    def test_finds_nothing_without_waits
      assert_equal(Handoff::NS,
        Handoff.fit(Handoff::HandoffTimes.new(handoff_ns: 0,
          wait_ns: 1.0)) { |_| Handoff::HandoffTimes.new(handoff_ns: 0.0, wait_ns: 1.0) })
    end
  end
end
