# frozen_string_literal: true

require "test_helper"
require "support/simulated_recording"

module Holdup::Analysis::Sizing
  class HandoffTest < Minitest::Test
    def trace = @trace ||= Trace.of(SimulatedRecording.new(seed: 3, minutes: 2, rate: 20, threads: 5, sway: 0.1).all)

    def waited(handoff_ns) = Replay.call(trace, Scenario.of(processes: 1, threads: 5, vcpus: 2, handoff_ns:)).handoff_ns

    def test_finds_the_one_that_there_was
      [5_000, 20_000, 60_000].each do |truth|
        assert_in_epsilon truth, Handoff.fit(waited(truth)) { |handoff_ns| waited(handoff_ns) }, 0.03
      end
    end

    def test_is_never_absurd
      assert_equal Handoff::LONGEST_NS, Handoff.fit(3 * waited(Handoff::LONGEST_NS)) { |handoff_ns| waited(handoff_ns) }
      assert_equal Handoff::SHORTEST_NS, Handoff.fit(1e-9) { |handoff_ns| waited(handoff_ns) }
    end

    def test_where_nothing_was_recorded_or_nobody_waits_nothing_can_be_found
      [nil, 0].each { |measured| assert_equal Handoff::NS, Handoff.fit(measured) { flunk } }
      assert_equal Handoff::NS, Handoff.fit(1_000.0) { |_| 0.0 }
    end
  end
end
