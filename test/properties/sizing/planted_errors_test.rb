# frozen_string_literal: true

require "test_helper"
require "delegate"
require "support/sequential_recordings"
require "support/stored_simulation"

module Holdup::Advise::Sizing
  # A recording that is not what it is taken for, or a model that ignores a fact of it, has to show: the grade
  # is not A, and the reason is named. Each has a counterpart with the same recording, rightly taken.
  class PlantedErrorsTest < Minitest::Test
    RAMP = [1, 2, 3, 5, 8, 15].freeze
    PLANTED = {seed: 1, minutes: 4, growth: 0.1, handoff_ns: 70_000, slower: 3, rate: 90, sway: 0.0}.freeze
    # Pages of many queries: passing the GVL on costs a third of the time that they hold it.
    QUERIES = {
      "Orders#index" => SimulatedRecording::Endpoint.new(held_ms: 10, idle_ms: 10, acquisitions: 160,
        share: 0.7, sigma: 0.4),
      "Orders#show" => SimulatedRecording::Endpoint.new(held_ms: 25, idle_ms: 20, acquisitions: 400,
        share: 0.3, sigma: 0.6)
    }.freeze

    def planted(**options)
      SimulatedRecording.new(**PLANTED, **options)
    end

    def observation(attributes = {}, **options)
      StoredSimulation.of(planted(**options), attributes)
    end

    def recommendation(recording)
      Recommendation.new(recording, limits: ResourceLimits.new(vcpus: 8), units: 4000)
    end

    # Replays as long as the steps of the ramp: several processes take time to get unequal queues.
    def self_test(recording) = recommendation(recording).self_test

    # Without a hand-off.
    def without_handoff(recording)
      taken = recommendation(recording)
      SelfTest.new(recording, traffic: taken.traffic, current: taken.now, vcpus: 8.0..8.0,
        assignments: [:least_busy], units: 4000, load: recording.closed_load, handoff_ns: 0).call
    end

    Open = Class.new(SimpleDelegator) do
      def closed_load = ClosedLoad::NONE
    end

    Constant = Class.new(SimpleDelegator) do
      def demand = __getobj__.demand.with(cost: CoherencyCost::CONSTANT)
    end

    def assert_trusted(found)
      assert_equal :a, found.grade, found.errors.inspect
      assert_empty found.reasons
    end

    def assert_caught(found, reason)
      refute_equal :a, found.grade, found.errors.inspect
      assert_includes found.reasons, reason, found.causes.figures.inspect
      refute_includes found.reasons, :unknown
    end

    one_ruby def test_hand_offs_that_the_model_ignores_in_a_load_test
      ramp = observation(connections: RAMP, endpoints: QUERIES)
      assert_trusted self_test(ramp)
      found = without_handoff(ramp)
      assert_caught found, :handoff
      assert_includes found.reasons, :ceiling
    end

    one_ruby def test_hand_offs_that_the_model_ignores_where_requests_come_on_their_own
      open = observation(endpoints: QUERIES, rate: 30, minutes: 8)
      assert_trusted self_test(open)
      assert_caught without_handoff(open), :handoff
    end

    one_ruby def test_growth_that_the_model_ignores
      ramp = observation(connections: RAMP, growth: 0.2)
      assert_trusted self_test(ramp)
      found = self_test(Constant.new(ramp))
      assert_caught found, :growth
      assert_includes found.reasons, :ceiling
    end

    # A second process needs the CPUs of a database, unless that works as much for fewer requests.
    one_ruby def test_other_processes_that_may_work_for_requests_or_not
      ramp = observation(connections: RAMP)
      served = ramp.closed_load.saturation(5).throughput
      working = ResourceLimits::OtherCpus.new(constant: 0.0, unit_ns: 15_000_000, mean: 0.015 * served)
      unknown, known = [0.0, working.unit_ns].map do |least_unit_ns|
        limits = ResourceLimits.new(vcpus: 2, others: working.with(least_unit_ns:))
        Recommendation.new(ramp, limits:, units: 4000).self_test
      end
      assert_caught unknown, :other_cpus
      assert_trusted known
    end

    # As if they had come on their own at the rate at which they were served.
    one_ruby def test_a_saturated_setting_that_is_replayed_as_open_arrivals
      saturated = observation(connections: [10])
      assert_trusted self_test(saturated)
      assert_caught self_test(Open.new(saturated)), :waits_for_answers
    end

    one_ruby def test_a_closed_load_that_is_replayed_as_open_arrivals
      ramp = observation(connections: RAMP)
      assert_trusted self_test(ramp)
      assert_caught self_test(Open.new(ramp)), :waits_for_answers
    end

    # A load test in the hours of a day, of which most requests come on their own.
    one_ruby def test_a_load_test_within_a_day_that_is_replayed_as_open_arrivals
      parts = [planted(connections: RAMP, minutes: 2), planted(minutes: 4, rate: 60, seed: 2)]
      both = StoredSimulation.of(SequentialRecordings.new(parts))
      refute_predicate both.closed_load, :closed?
      found = self_test(both)
      assert_caught found, :waits_for_answers
      assert_in_delta 0.4, found.causes.figures[:waits_for_answers], 0.15
    end

    # The setting says 5 threads each.
    one_ruby def test_processes_with_other_threads_than_the_setting_says
      connections = RAMP.map { |count| 2 * count }
      alike, other = [5, [2, 8]].map do |threads|
        self_test(observation({"workers" => 2}, connections:, processes: 2, threads:))
      end
      assert_trusted alike
      assert_caught other, :unlike_threads
    end

    one_ruby def test_fewer_threads_than_the_setting_says
      found = self_test(observation(threads: 2, rate: 60, minutes: 10))
      assert_caught found, :unlike_threads
    end

    # 5 threads, then 2: no replay has both.
    def test_two_settings_in_one_span_are_refused
      units = [5, 2].flat_map.with_index do |threads, at|
        part = StoredSimulation.new(planted(rate: 60, threads:, seed: at), {"threads" => threads})
        part.recording.figures.unit_samples
      end
      windows = units.group_by { |unit| [unit.setting, unit.series] }.map do |(setting, series), own|
        histograms = StoredSimulation::HISTOGRAMS.transform_values do |field|
          Holdup::Histogram.of(own.map(&field))
        end
        empty = Holdup::Window.empty(series:, setting:, host: "a", start_s: SimulatedRecording::START_S,
          seconds: 600)
        empty.with(count: own.size, histograms:)
      end
      taken = Recording.of(windows:, unit_samples: units, kind: :request)
      assert_equal [:unknown, [:mixed_settings]],
        [recommendation(taken).verdict, recommendation(taken).reasons]
    end
  end
end
