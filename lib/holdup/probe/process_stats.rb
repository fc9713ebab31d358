# frozen_string_literal: true

module Holdup
  module Probe
    # The state of this process at a tick, as the segment's gauges want it (names and order:
    # Holdup::Segment::Layout::GAUGES). nil is "unknown": the probe fills in what only it knows (waiting threads, units
    # in flight), the collector what it reads from outside (RSS, PSS).
    class ProcessStats
      # Layout: the gauges of single pools begin at 32, so many follow the named ones unused.
      GAP = Array.new(9).freeze
      MOST_POOLS = 8

      # @param pools [#call] gives how busy each group of threads is: [Servers::Pool] or what answers like it
      # @param resources [#call] the same of what is no group of threads (database connections): never "the" pool
      # @param gauges [#call] gives the gauges that only a server or a resource knows, by name
      def initialize(pools: -> { [] }, resources: -> { [] }, gauges: -> { {} })
        @pools = pools
        @gauges = gauges
        @resources = resources
      end

      # @return [Array<Integer, nil>] 23 gauges, the gap, three for each pool; times in nanoseconds, sizes in bytes
      def to_a
        pools = @pools.call
        [Thread.list.size, nil, nil, *first(pools.first), nil, nil, cpu_ns, *gc, *jit, GC.stat(:heap_live_slots),
          pools.first&.served, *@gauges.call.values_at(:redis_rtt_ns, :connections_kept_ns), *GAP, *each_pool([*pools, *@resources.call])]
      end

      private

      def each_pool(pools) = pools.first(MOST_POOLS).flat_map { |pool| [pool.max, pool.busy, pool.backlog] }

      def first(pool) = pool ? [pool.busy, pool.backlog, pool.free, pool.max] : [nil, nil, nil, nil]

      def cpu_ns = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)

      def gc = [GC.count, GC.total_time, GC.stat(:total_allocated_objects)]

      def jit
        return yjit if defined?(RubyVM::YJIT.enabled?) && RubyVM::YJIT.enabled?
        return zjit if defined?(RubyVM::ZJIT.enabled?) && RubyVM::ZJIT.enabled?
        [0, nil, nil, nil, nil, nil]
      end

      def yjit
        stats = RubyVM::YJIT.runtime_stats
        [1, *stats.values_at(:code_region_size, :yjit_alloc_size, :compiled_iseq_count, :compile_time_ns, :vm_insns_count)]
      end

      # ZJIT calls the same things by other names, and counts interpreted instructions in special builds only.
      def zjit
        stats = RubyVM::ZJIT.stats
        [1, *stats.values_at(:code_region_bytes, :zjit_alloc_bytes, :compiled_iseq_count, :compile_time_ns, :vm_insns_count)]
      end
    end
  end
end
