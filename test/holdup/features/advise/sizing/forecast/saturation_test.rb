# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class SaturationTest < Minitest::Test
    MS = 1_000_000

    # Of ten units `slow` are of the second pool; both pools' units hold the GVL for so long and wait for so
    # long.
    def trace(slow: 1, light: [1, 9], heavy: [10, 90])
      Trace.new(Array.new(4000) do |index|
        pool = (index % 10 < slow) ? 1 : 0
        held, idle = pool.zero? ? light : heavy
        Trace::TraceUnit.new(arrival_ns: index, held_ns: held * MS, idle_ns: idle * MS, acquisitions: 1,
          pool:)
      end)
    end

    def most(trace, threads:, other_threads: [])
      Forecast::Saturation.throughput(trace,
        Scenario.of(processes: 1, threads:, other_threads:, vcpus: 4, assignment: :shared, handoff_ns: 0))
    end

    # One thread of 100 ms does 10 a second, of which there is one in ten units; nine others of 10 ms need no
    # two threads.
    def test_the_pool_that_is_full_first_bounds_all
      one_slow_thread = most(trace, threads: 5, other_threads: [1])
      two_slow_threads = most(trace, threads: 6, other_threads: [2])
      assert_in_delta 100, one_slow_thread, 8
      assert_in_delta 2, two_slow_threads / one_slow_thread, 0.15
    end

    # The other has threads enough: what bounds is the light ones' single thread.
    def test_threads_for_the_pool_that_is_not_full_bring_nothing
      ten_slow_threads = most(trace, threads: 11, other_threads: [10])
      twenty_slow_threads = most(trace, threads: 21, other_threads: [20])
      assert_in_delta 1, twenty_slow_threads / ten_slow_threads, 0.03
    end

    # 19 ms of a GVL for ten units.
    def test_no_more_than_the_gvl_allows
      assert_in_delta 10 / 0.019, most(trace, threads: 60, other_threads: [30]), 12
    end

    def test_with_one_pool_it_is_the_backlog
      one = trace(slow: 0)
      scenario = Scenario.of(processes: 1, threads: 3, vcpus: 4, assignment: :shared)
      outcome = Replay.call(one.backlog, scenario)
      span = outcome.steady_span(PoolThroughput::BacklogReplay::EDGE)
      assert_in_delta 1,
        Forecast::Saturation.throughput(one,
          scenario) / (outcome.ended(span).size * 1e9 / (span.end - span.begin)), 0.001
    end
  end
end
