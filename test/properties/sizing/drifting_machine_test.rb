# frozen_string_literal: true

require "test_helper"
require "support/stored_simulation"

module Holdup::Advise::Sizing
  # A load test of ten minutes that steps through connections, on a machine whose speed goes up and down by
  # 60 % meanwhile: once in the ten minutes, so that slow minutes and many connections coincide.
  class DriftingMachineTest < Minitest::Test
    SEEDS = (1..8)
    # Each number of connections lasts for two minutes.
    STEPS = [1, 2, 3, 5, 8].flat_map { |connections| [connections] * 6 }.freeze
    # Of intervals of 90 %.
    COVERED = 0.7
    FOUND = {}

    one_ruby def test_a_drift_is_no_growth
      drifting = SEEDS.map { |seed| growth_of(seed) }
      unknown = SEEDS.map { |seed| growth_of(seed, known: false) }
      assert_operator unknown.sum { |found| found.value.abs } / SEEDS.count, :>, 0.08, "the drift alone"
      assert_in_delta 0.0, mean(drifting), 0.02
      assert_operator drifting.sum(&:for_models) / SEEDS.count, :<=, 0.02, "what models take"
      assert_covered 0.0, drifting
    end

    one_ruby def test_growth_is_found_in_spite_of_the_drift
      drifting = SEEDS.map { |seed| growth_of(seed, growth: 0.2) }
      assert_in_delta 0.2, mean(drifting), 0.04
      assert_covered 0.2, drifting
      assert_operator drifting.count(&:grows?), :>=, SEEDS.count - 1
    end

    one_ruby def test_growth_is_found_on_a_steady_machine
      steady = SEEDS.map { |seed| growth_of(seed, growth: 0.2, drift: 1.0) }
      assert_in_delta 0.2, mean(steady), 0.03
      assert_operator steady.count(&:grows?), :>=, SEEDS.count - 1
    end

    # Requests that mostly wait for other systems follow the machine by half, some not at all.
    one_ruby def test_a_machine_that_requests_do_not_follow_is_left_out
      apart = SEEDS.map { |seed| growth_of(seed, growth: 0.2, exponent: 0.0) }
      assert_in_delta 0.2, mean(apart), 0.04
      half = SEEDS.map { |seed| growth_of(seed, exponent: 0.5) }
      assert_in_delta 0.0, mean(half), 0.02
    end

    one_ruby def test_requests_that_come_on_their_own
      found = SEEDS.first(4).map do |seed|
        recording = SimulatedRecording.new(seed:, slowness: drift(seed, 1.6), minutes: 30, slower: 4)
        growth(recording)
      end
      assert_in_delta 0.0, mean(found), 0.05
      assert_covered 0.0, found
      assert_equal 0, found.count(&:grows?)
    end

    # Nothing is taken off what a few requests say.
    def test_few_requests_have_no_effect
      recording = SimulatedRecording.new(seed: 1, slowness: drift(1, 1.6), minutes: 3, slower: 4)
      all = recording.all
      assert_same SpeedEffect::NONE, SpeedEffect.of(all, recording.samples), "three minutes"
      longer = SimulatedRecording.new(seed: 1, slowness: drift(1, 1.6), minutes: 10, slower: 40)
      few = longer.all.first(150)
      assert_same SpeedEffect::NONE, SpeedEffect.of(few, longer.samples), "150 requests"
    end

    private

    def drift(seed, ratio)
      begin_at = Random.new(seed).rand * 2 * Math::PI
      ->(second) { Math.log(ratio) / 2 * Math.sin(2 * Math::PI * second / 600 + begin_at) }
    end

    def growth_of(seed, growth: 0.0, drift: 1.6, exponent: 1.0, known: true)
      FOUND[[seed, growth, drift, exponent]] ||= SimulatedRecording.new(seed:, growth:, exponent:,
        slowness: drift(seed, drift), minutes: 10, slower: 8, connections: STEPS)
      growth(FOUND[[seed, growth, drift, exponent]], known:)
    end

    def growth(recording, known: true)
      speed = known ? SpeedEffect.of(recording.all, recording.samples) : SpeedEffect::NONE
      CoherencyEstimator.new(recording.all, speed:).overall
    end

    def mean(estimates) = estimates.sum(&:value) / estimates.size

    def assert_covered(growth, estimates)
      covered = estimates.count { |found| growth.between?(found.low, found.high) }
      assert_operator covered, :>=, COVERED * estimates.size, estimates.map(&:to_h).inspect
    end
  end
end
