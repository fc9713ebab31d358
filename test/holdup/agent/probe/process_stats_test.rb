# frozen_string_literal: true

require "test_helper"
require "holdup/agent/probe/process_stats"
require "holdup/segment/layout"

class Holdup::Probe::ProcessStatsTest < Minitest::Test
  Pool = Struct.new(:busy, :backlog, :free, :max, :served, :oldest_ns)
  NAMES = Holdup::Segment::Layout::GAUGES

  def gauges(*pools)
    NAMES.zip(Holdup::Probe::ProcessStats.new(pools: -> { pools }).to_a).to_h
  end

  def test_has_one_for_each_gauge_of_the_layout
    assert_equal Holdup::Segment::Layout::POOLS_OLDEST_AT, Holdup::Probe::ProcessStats.new.to_a.size
    assert_equal Holdup::Segment::Layout::POOLS_AT, NAMES.size
  end

  def test_what_is_known_without_a_server
    known = gauges
    assert_equal Thread.list.size, known[:threads]
    assert_operator known[:gc_count], :>=, 0
    assert_operator known[:allocated_objects], :>, 10_000
    assert_operator known[:live_slots], :>, 10_000
    assert_equal [nil] * 5,
      known.values_at(:busy_threads, :backlog, :pool_capacity, :max_threads, :requests_count)
    assert_equal [nil] * 4, known.values_at(:waiting_threads, :units_in_flight, :rss_bytes, :pss_bytes)
    assert_operator known[:cpu_ns], :>, 10_000_000
  end

  def test_the_servers_pool
    known = gauges(Pool.new(2, 1, 3, 5, 99))
    assert_equal [2, 1, 3, 5, 99],
      known.values_at(:busy_threads, :backlog, :pool_capacity, :max_threads, :requests_count)
  end

  def test_each_pool_has_three_gauges_after_the_named_ones
    pools = Array.new(9) { |index| Pool.new(index, 0, 5, 5, 0, index) }
    all = Holdup::Probe::ProcessStats.new(pools: -> { pools }).to_a
    assert_equal Holdup::Segment::Layout::GAUGE_SLOTS, all.size
    assert_equal [5, 7, 0, *0..7], all.last(3 + 8)
  end

  def test_resources_follow_the_pools_and_are_never_the_servers
    threads = Pool.new(2, 1, 3, 5, 99)
    connections = Pool.new(4, 6, 0, 4, nil)
    stats = Holdup::Probe::ProcessStats
    gauges = stats.new(pools: -> { [threads] }, resources: -> { [connections] }).to_a
    assert_equal [5, 2, 1, 4, 4, 6], gauges[Holdup::Segment::Layout::POOLS_AT, 6]
    alone = NAMES.zip(stats.new(resources: -> { [connections] }).to_a).to_h
    assert_equal [nil, nil], alone.values_at(:busy_threads, :max_threads)
  end

  # Ruby's collector; its time in milliseconds where it is asked for the process.
  class Collector
    def count = 3

    def total_time = 5_500_000

    def stat(key, scope: :ractor)
      own = {heap_live_slots: 7, total_allocated_objects: 9}
      {ractor: own, global: {count: 30, time: 55}}.dig(scope, key)
    end
  end

  def collected(**capabilities)
    ruby = Holdup::RubyVersion.here.with(**capabilities)
    values = Holdup::Probe::ProcessStats.new(ruby:, collector: Collector.new).to_a
    NAMES.zip(values).to_h.values_at(:gc_count, :gc_time_ns, :allocated_objects, :live_slots)
  end

  def test_collections_are_those_of_the_whole_process
    assert_equal [3, 5_500_000, 9, 7], collected(scopes_gc_stat: false)
    assert_equal [30, 55_000_000, 9, 7], collected(scopes_gc_stat: true)
  end

  def test_gc_time_is_in_nanoseconds
    before = gauges[:gc_time_ns]
    3.times { GC.start }
    assert_operator gauges[:gc_time_ns] - before, :>, 10_000
  end

  def test_gauges_of_a_resource_are_found_by_name
    known = NAMES.zip(Holdup::Probe::ProcessStats.new(gauges: -> {
      {jit_enabled: 1, jit_warm_ns: 9,
       redis_rtt_ns: 5}
    }).to_a).to_h
    assert_equal [1, nil, 9, 5], known.values_at(:jit_enabled, :jit_code_bytes, :jit_warm_ns, :redis_rtt_ns)
  end
end
