# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/played_recording"

module Holdup::Advise::Sizing
  class PoolThroughputTest < Minitest::Test
    SHAPES = {"Mail" => [0.8, 2, 24, 4], "Report" => [0.2, 20, 10, 2]}.freeze
    POOLS = {"mail" => [3, ["Mail"]], "reports" => [2, ["Report"]]}.freeze

    def recorded
      @recorded ||= PlayedRecording.new(shapes: SHAPES, pools: POOLS, kind: :job, minutes: 5)
    end

    def played(threads, other_threads: [2], pools: recorded.pools)
      traffic = Traffic.of(recorded.unit_samples, recorded.arrivals, pools:)
      PoolThroughput::AtBacklog.new(traffic, vcpus: 2,
        handoff_ns: 0).call(Candidate.new(processes: 1, threads:, other_threads:))
    end

    # Each further thread of the one makes units of the other stall for longer.
    def test_what_one_is_given_the_other_pays_for
      before, after = [5, 14].map { |threads| played(threads) }
      assert_equal [[3, 2], [12, 2]], [before, after].map { |found| found.map(&:threads) }
      assert_operator after[0].throughput, :>, 1.5 * before[0].throughput
      assert_operator after[1].throughput, :<, 0.95 * before[1].throughput
      assert_operator after[1].stalled_ns, :>, 1.2 * before[1].stalled_ns
      assert_operator after[1].wall_ns - after[1].stalled_ns, :<,
        1.1 * (before[1].wall_ns - before[1].stalled_ns)
    end

    # Threads of a pool are always at work: Little's law.
    def test_threads_are_throughput_times_elapsed
      played(7).each { |found|
        assert_in_delta 1, found.throughput * found.wall_ns / 1e9 / found.threads, 0.05
      }
    end

    def test_a_process_with_one_kind_of_threads_is_one_pool
      found = played(5, other_threads: [], pools: ThreadPools::ONE)
      assert_equal 1, found.size
      assert_in_delta 5, found.first.throughput * found.first.wall_ns / 1e9, 0.2
    end

    def test_one_of_twenty_units_takes_longer_than_the_percentile
      found = PoolThroughput.of([0] * 20, [*1..19, 500], threads: 1, throughput: 1.0)
      assert_equal 19, found.wall_p95_ns
      assert_in_delta 34.5, found.wall_ns
    end

    def test_a_pool_that_ran_nothing_has_no_figures
      idle = ThreadPools.new({"mail" => 3, "reports" => 2, "new" => 1},
        {"mail" => {"mail" => 1}, "reports" => {"reports" => 1}})
      assert_equal [3, 2, nil], played(6, other_threads: [2, 1], pools: idle).map { |found| found&.threads }
    end
  end
end
