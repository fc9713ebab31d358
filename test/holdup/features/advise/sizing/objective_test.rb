# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class ObjectiveTest < Minitest::Test
    MS = 1_000_000

    def prediction(processes, threads, wait_ms: nil, response_ms: 100, ceiling: 10.0 * processes,
      memory_bytes: nil)
      times = wait_ms ? {assignments: [:random], waits: {0.95 => wait_ms * MS},
                         responses: {0.95 => response_ms * MS}} : {}
      Forecast::Prediction.new(candidate: Candidate.new(processes:, threads:), ceiling:, utilisation: 0.5,
        memory_bytes:, connections: 1, guards: [], **times)
    end

    def test_latency_is_waiting_against_the_response
      now = prediction(1, 5, wait_ms: 50)
      better = prediction(2, 5, wait_ms: 20, response_ms: 70)
      assert_in_delta 0.3, Objective.new.gain(now, better)
      assert_in_delta(-30 / 70.0, Objective.new.gain(better, now))
    end

    def test_of_equals_the_smallest_change
      now = prediction(1, 5, wait_ms: 50)
      both = prediction(2, 4, wait_ms: 21.5)
      one = prediction(2, 5, wait_ms: 21)
      fewer = prediction(3, 5, wait_ms: 20)
      assert_equal one, Objective.new.best([now, both, fewer, one], now)
      assert_equal now, Objective.new.best([now, prediction(2, 5, wait_ms: 49)], now)
      assert_nil Objective.new.best([], now)
    end

    # A shorter response with fewer threads, however many settings have to change for it.
    def test_the_smallest_change_does_not_beat_a_better_and_cheaper_one
      now = prediction(1, 5, wait_ms: 50)
      one = prediction(2, 5, wait_ms: 21)
      better = prediction(2, 2, wait_ms: 20, response_ms: 80)
      assert_equal better, Objective.new.best([now, one, better], now)
      assert_equal one, Objective.new.best([now, one, better.with(connections: 2)], now)
      assert_equal one, Objective.new.best([now, one, prediction(2, 2, wait_ms: 20, response_ms: 99)], now)
    end

    def test_a_balance_where_a_process_has_to_bring_a_tenth
      now = prediction(1, 5, wait_ms: 50)
      balanced = Objective.new(name: :balanced)
      assert_operator balanced.gain(now, prediction(2, 5, wait_ms: 45, response_ms: 95)), :<, 0
      assert_operator balanced.gain(now, prediction(2, 5, wait_ms: 20, response_ms: 70)), :>, 0.2
    end

    def test_cost_within_the_promise
      cost = Objective.new(name: :cost, slo: Slo.parse("p95=120ms"))
      now = prediction(2, 5, wait_ms: 10, memory_bytes: 200)
      less = prediction(1, 5, wait_ms: 29, response_ms: 119, memory_bytes: 100)
      assert_in_delta 0.5, cost.gain(now, less)
      assert_equal 0.0, cost.gain(now, prediction(1, 5, wait_ms: 40, response_ms: 121, memory_bytes: 100))
      assert_equal 0.0, Objective.new(name: :cost).gain(now, less), "more than a tenth slower than now"
    end

    def test_what_was_not_replayed_is_judged_by_what_it_can_serve
      assert_in_delta 1.0, Objective.new.gain(prediction(1, 5), prediction(2, 5, wait_ms: 3))
    end

    def test_fewer_threads_with_nearly_all_of_the_throughput_are_a_gain
      throughput = Objective.new(name: :throughput)
      now = prediction(1, 10, ceiling: 20.0)
      assert_in_delta 1 - 0.2 / 0.95, throughput.gain(now, prediction(1, 2, ceiling: 19.0))
      assert_operator throughput.gain(now, prediction(1, 1, ceiling: 12.0)), :<, 0
      assert_equal 2,
        throughput.best([now, prediction(1, 2, ceiling: 19.0), prediction(2, 1, ceiling: 40.0)],
          now).candidate.threads
    end
  end
end
