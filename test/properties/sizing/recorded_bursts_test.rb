# frozen_string_literal: true

require "test_helper"
require "support/stored_simulation"

module Holdup::Advise::Sizing
  # 45 s of independent arrivals at 3.5 a second by turns with 135 s of silence: nothing is hard about it.
  class RecordedBurstsTest < Minitest::Test
    SLOWER = 3
    ENDPOINTS = {
      "Orders#index" => SimulatedRecording::Endpoint.new(held_ms: 20, idle_ms: 30, acquisitions: 20,
        share: 0.6, sigma: 0.5),
      "Orders#show" => SimulatedRecording::Endpoint.new(held_ms: 60, idle_ms: 60, acquisitions: 40,
        share: 0.3, sigma: 0.7),
      "Reports#show" => SimulatedRecording::Endpoint.new(held_ms: 200, idle_ms: 20, acquisitions: 20,
        share: 0.1, sigma: 0.9)
    }.freeze

    def test_are_replayed_and_no_cause_to_refuse
      (1..3).each do |seed|
        found = self_test(seed)
        refute_equal :c, found.grade, found.errors.inspect
        refute_includes found.reasons, :bursts
        assert_operator found.errors.fetch(:response).abs, :<, 0.1, "seed #{seed}"
      end
    end

    # What it would look like without counts: the same seeds, at least one of which is refused.
    def test_would_be_refused_without_counts
      found = (1..3).map { |seed| self_test(seed, counted: false) }
      assert(found.all? { |one| one.reasons.include?(:bursts) })
      assert_includes found.map(&:grade), :c
    end

    # A store keeps at most 900 requests of ten minutes.
    def test_of_a_sample_too
      recording = SimulatedRecording.new(seed: 4, rate: 8 * SLOWER, slower: SLOWER, minutes: 40, sway: 0.0,
        endpoints: halved, bursts: [45, 135])
      found = self_test(nil, recording:, sampled: true)
      refute_equal :c, found.grade, found.errors.inspect
      refute_includes found.reasons, :bursts
    end

    private

    def self_test(seed, recording: bursts(seed), **options)
      recording = StoredSimulation.of(recording, **options)
      Recommendation.new(recording, limits: ResourceLimits.new(vcpus: 2)).self_test
    end

    def bursts(seed)
      SimulatedRecording.new(seed:, rate: 3.5 * SLOWER, slower: SLOWER, minutes: 33, sway: 0.0,
        endpoints: ENDPOINTS, bursts: [45, 135])
    end

    def halved
      ENDPOINTS.transform_values { |one| one.with(held_ms: one.held_ms / 2.5) }
    end
  end
end
