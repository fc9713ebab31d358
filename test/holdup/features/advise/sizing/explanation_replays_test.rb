# frozen_string_literal: true

require "test_helper"
require "support/stored_simulation"

module Holdup::Advise::Sizing
  class ExplanationReplaysTest < Minitest::Test
    one_ruby

    NOW = Candidate.new(processes: 1, threads: 5)
    LIKELY = Explanation.new(free_vcpus: 2.0, speed: 1.0, handoff_ns: 30_000, growth: 0.0, idle_growth: 0.0,
      counted: false, users: nil, think_ns: 0, assignment: :random)
    RECORDED = StoredSimulation.of(SimulatedRecording.new(seed: 1, minutes: 8, sway: 0.0, rate: 50))

    def replays(recording = RECORDED, **options)
      traffic = Recommendation.new(recording, limits: ResourceLimits.new(vcpus: 2)).traffic
      ExplanationReplays.new(recording, traffic:, peak: traffic, rate: traffic.peak_rate, now: NOW,
        limits: ResourceLimits.new(vcpus: 2), percentile: 0.95, units: 3000, **options)
    end

    def test_the_right_explanation_reproduces_the_recording
      figures, units = replays.recorded(LIKELY, 1)
      measured = RECORDED.measured
      assert_operator units, :>, 1000
      assert_in_delta measured.utilisation, figures.utilisation, 0.06
      assert_in_delta 1.0, figures.response_ns / measured.response_ns, 0.25
    end

    def test_slower_machines_growth_and_hand_offs_lengthen_waits
      likely = replays.recorded(LIKELY, 1).first
      [{speed: 1.2}, {handoff_ns: 2_000_000}].each do |other|
        figures = replays.recorded(LIKELY.with(**other), 1).first
        assert_operator figures.response_ns, :>, likely.response_ns, other.inspect
      end
    end

    def test_all_settings_see_the_same_requests
      one = replays
      requests = one.requests(LIKELY, 3)
      settings = [NOW, NOW.with(threads: 1), NOW]
      waits = settings.map { |candidate| one.call(candidate, requests, LIKELY).wait_ns }
      assert_equal waits.first, waits.last
      assert_operator waits[1], :>, waits.first
    end

    def test_events_are_counted_and_few
      one = replays
      one.recorded(LIKELY, 1)
      recorded = one.events
      assert_operator recorded, :>, 0
      one.call(NOW, one.requests(LIKELY, 1), LIKELY)
      assert_operator one.events, :>, recorded
      assert_operator one.events, :<, 300_000
    end

    def test_a_load_test_is_replayed_with_its_connections
      ramp = StoredSimulation.of(SimulatedRecording.new(seed: 2, minutes: 2, rate: 60, connections: [1, 5]))
      figures, = replays(ramp).recorded(LIKELY, 1)
      assert_in_delta 1.0, figures.response_ns / ramp.measured.response_ns, 0.4
    end
  end
end
