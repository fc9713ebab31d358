# frozen_string_literal: true

require "test_helper"
require "support/simulated_recording"

module Holdup::Analysis::Sizing
  class HandoffTest < Minitest::Test
    def trace = @trace ||= Trace.of(SimulatedRecording.new(seed: 3, minutes: 2, rate: 20, threads: 5, sway: 0.1).all)

    def wait(handoff_ns, threads: 5)
      outcome = Replay.call(trace, Scenario.of(processes: 1, threads:, vcpus: 2, handoff_ns:))
      outcome.mean(:queued) + outcome.mean(:stalled)
    end

    def test_what_was_measured_comes_out
      [5_000, 20_000, 60_000].each do |truth|
        found = Handoff.fit(wait(truth)) { |handoff_ns| wait(handoff_ns) }
        assert_in_epsilon wait(truth), wait(found), 0.01
        assert_in_epsilon wait(truth, threads: 2), wait(found, threads: 2), 0.02
      end
    end

    def test_is_never_less_than_nothing_nor_absurd
      assert_equal 0, Handoff.fit(0.9 * wait(0)) { |handoff_ns| wait(handoff_ns) }
      assert_equal Handoff::LARGEST_NS, Handoff.fit(2 * wait(Handoff::LARGEST_NS)) { |handoff_ns| wait(handoff_ns) }
    end

    def test_where_nobody_waits_nothing_can_be_found
      assert_equal Handoff::NS, Handoff.fit(1_000.0) { |_| 1_000.0 }
    end
  end
end
