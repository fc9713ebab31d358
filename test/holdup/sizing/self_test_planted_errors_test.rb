# frozen_string_literal: true

require "test_helper"
require "delegate"
require "support/sequential_recordings"
require "support/simulated_observation"

module Holdup::Sizing
  # A recording that is not what it is taken for has to show. LoadTestRecordingTest plants errors of the
  # model: without hand-offs, without growth; RecordingTest has two settings in one span.
  class SelfTestPlantedErrorsTest < Minitest::Test
    RAMP = [1, 2, 3, 5, 8, 15].freeze
    PLANTED = {seed: 1, minutes: 4, growth: 0.1, handoff_ns: 70_000, slower: 3, rate: 90, sway: 0.0}.freeze

    def planted(**options)
      SimulatedRecording.new(**PLANTED, **options)
    end

    def observation(attributes = {}, **options)
      SimulatedObservation.of(planted(**options), attributes)
    end

    # Replays as long as the steps of the ramp: several processes take time to get unequal queues.
    def self_test(recording)
      Recommendation.new(recording, limits: ResourceLimits.new(vcpus: 8), units: 4000).self_test
    end

    Open = Class.new(SimpleDelegator) do
      def closed_load = ClosedLoad::NONE
    end

    # As if they had come on their own at the rate at which they were served.
    one_ruby def test_a_saturated_setting_that_is_replayed_as_open_arrivals
      saturated = observation(connections: [10])
      assert_equal :a, self_test(saturated).grade
      refute_equal :a, self_test(Open.new(saturated)).grade
    end

    one_ruby def test_a_closed_load_that_is_replayed_as_open_arrivals
      ramp = observation(connections: RAMP)
      assert_equal :a, self_test(ramp).grade
      refute_equal :a, self_test(Open.new(ramp)).grade
    end

    # The setting says 5 threads each.
    def test_processes_with_other_threads_than_the_setting_says
      connections = RAMP.map { |count| 2 * count }
      alike, other = [5, [2, 8]].map do |threads|
        self_test(observation({"workers" => 2}, connections:, processes: 2, threads:))
      end
      assert_equal :a, alike.grade, alike.errors.inspect
      refute_equal :a, other.grade, other.errors.inspect
    end

    # A load test in the hours of a day, of which most requests come on their own.
    one_ruby def test_a_load_test_within_a_day_that_is_replayed_as_open_arrivals
      parts = [planted(connections: RAMP, minutes: 2), planted(minutes: 4, rate: 60, seed: 2)]
      both = SimulatedObservation.of(SequentialRecordings.new(parts))
      refute_predicate both.closed_load, :closed?
      found = self_test(both)
      refute_equal :a, found.grade, found.errors.inspect
    end
  end
end
