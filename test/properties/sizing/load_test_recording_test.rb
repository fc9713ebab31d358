# frozen_string_literal: true

require "test_helper"
require "delegate"
require "support/stored_simulation"

module Holdup::Advise::Sizing
  # A database-bound application as one was measured: 85 ms of CPU and 454 acquisitions a request, each
  # further doubling in flight adds a tenth, a hand-off takes 73 us; recorded at 5 threads while 1 to 15
  # connections took turns. It serves 7.3 requests a second, whatever its CPU time of 104 ms promises.
  class LoadTestRecordingTest < Minitest::Test
    # Share of the requests => times of two pages against the mean.
    PAGES = {0.2 => [0.4, 0.6], 0.15 => [0.8, 1.0], 0.1 => [1.2, 1.6], 0.05 => [2.2, 3.0]}
      .flat_map { |share, times| times.map { |time| [share, time] } }.freeze
    MEAN = PAGES.sum { |share, time| share * time }
    CONNECTIONS = [1, 2, 3, 4, 5, 7, 10, 15].freeze
    SERVED = 7.3
    # What the application itself served at saturation, with these threads in one process.
    MEASURED = {1 => 8.2, 3 => 7.2, 5 => SERVED, 10 => 6.7}.freeze
    SHARED = {}

    def endpoints
      PAGES.each_with_index.to_h do |(share, time), index|
        times = time / MEAN
        ["Pages##{index}", SimulatedRecording::Endpoint.new(held_ms: 85 * times, idle_ms: 40 * times,
          acquisitions: (454 * times).round, share:, sigma: 0.25)]
      end
    end

    def observation
      SHARED[:observation] ||= StoredSimulation.of(
        SimulatedRecording.new(seed: 1, growth: 0.1, threads: 5, minutes: 9, rate: 10, handoff_ns: 73_000,
          connections: CONNECTIONS, endpoints:)
      )
    end

    def recommendation
      SHARED[:recommendation] ||= Recommendation.new(observation, rounds: 2, units: 1000,
        limits: ResourceLimits.new(vcpus: 2))
    end

    def self_test(recording = observation, **options)
      SelfTest.new(recording, traffic: recommendation.traffic, current: recommendation.now, vcpus: 2.0..2.0,
        assignments: [:least_busy], units: 1000, load: recording.closed_load, **options).call
    end

    one_ruby def test_it_says_fewer_threads_and_more_processes
      best = recommendation.best.candidate
      assert_equal :change, recommendation.verdict
      assert_operator best.processes, :>, 1
      assert_operator best.threads, :<, 5
    end

    def test_its_ceilings_are_what_it_served
      assert_in_epsilon SERVED, recommendation.current.ceiling, 0.08
      assert_in_epsilon SERVED, observation.closed_load.saturation(5).throughput, 0.08
    end

    # Of each setting, though only 5 threads were recorded.
    MEASURED.each do |threads, served|
      define_method(:"test_predicts_what_#{threads}_threads_serve") do
        found = recommendation.of(recommendation.now.with(threads:))
        assert_in_epsilon served, found.ceiling, 0.08
      end
    end

    def test_what_concurrency_and_hand_offs_cost_is_learned_from_the_levels
      estimate = observation.growth_estimate
      assert_in_delta 0.1, estimate.value, 0.03
      assert_operator estimate.between_levels, :>, 0.9
      assert_in_epsilon 73_000, Handoff.with_waiting(recommendation.self_test.handoff_ns, 3), 0.15
    end

    one_ruby def test_the_replay_of_the_present_is_what_was_measured
      test = recommendation.self_test
      assert_equal :a, test.grade, test.errors.inspect
      assert_in_epsilon test.measured.p95_ns, test.predicted.p95_ns, 0.1
    end

    # Clients waited 2.2 s at the most; an open replay said 85.7 s.
    one_ruby def test_the_row_of_now_is_what_was_measured
      walls = observation.busiest.map { |unit| unit.queued_ns + unit.wall_ns }.sort
      measured = recommendation.measured
      assert recommendation.measured?
      assert_in_epsilon walls[(walls.size * 0.95).floor], measured.responses[0.95], 0.02
      assert_in_epsilon measured.responses[0.95], recommendation.current.responses[0.95], 0.15
      refute_equal measured, recommendation.current
    end

    # Exactly this load was served.
    def test_a_load_that_was_served_breaks_no_limit
      assert_empty recommendation.current.guards
    end

    def test_the_advice_says_what_hand_offs_cost
      words = Holdup::View::Words.new("en")
      said = Holdup::Advise::AdviceVerdict.new(recommendation.call, span: "now", words:)
      assert_match(/^CHANGE processes x threads of each host to [23] x [1-4] \(now 1 x 5\): /, said.sentence)
      details = said.details.join("\n")
      assert_match(/^Each of 4\d\d GVL acquisitions costs [67]\d\.\d us more when others wait/, details)
      assert_match(/up to [23]\d\.\d ms in each request or job: fewer threads, or fewer round trips\.$/,
        details)
      assert_match(/^That compares moments with different numbers in flight/, details)
    end

    # Each planted mistake has to show.
    def test_a_model_without_hand_offs_fails
      found = self_test(handoff_ns: 0)
      assert_equal :c, found.grade
      assert_operator found.errors[:throughput], :>, 0.2
      assert_equal %i[ceiling handoff], found.reasons
    end

    Constant = Class.new(SimpleDelegator) do
      def demand = __getobj__.demand.with(cost: CoherencyCost::CONSTANT)
    end

    def test_a_model_without_growth_fails
      found = self_test(Constant.new(observation), handoff_ns: 73_000)
      refute_equal :a, found.grade, found.errors.inspect
      assert_operator found.errors[:throughput], :>, 0.05
      assert_equal %i[ceiling growth], found.reasons
    end

    Open = Class.new(SimpleDelegator) do
      def closed_load = ClosedLoad::NONE
    end

    # As if they had come on their own: 15 at once look like a queue that grows.
    one_ruby def test_a_replay_as_open_arrivals_is_not_trusted
      found = self_test(Open.new(observation))
      assert_equal :c, found.grade
      assert_includes found.reasons, :waits_for_answers
    end
  end
end
