# frozen_string_literal: true

require_relative "../../model/quantities"
require_relative "../../model/ruby_version"
require_relative "../../segment/layout"

module Holdup
  module Probe
    # This process's gauges at a tick, in the order of Segment::Layout::GAUGES; nil: unknown here. The probe
    # fills in waiting threads and units in flight, the collector RSS and PSS.
    class ProcessStats
      JIT = %i[jit_enabled jit_code_bytes jit_alloc_bytes jit_compiled_iseqs jit_compile_ns
        jit_interpreted_instructions].freeze
      LATER = %i[
        redis_rtt_ns connections_kept_ns jit_live_iseqs jit_limit_bytes jit_saturated
        jit_invalidations jit_enabled_ns jit_warm_ns jit_failures jit_code_gcs jit_redefined
      ].freeze
      MOST_POOLS = Segment::Layout::POOLS

      # @param pools [#call] gives the state of each group of threads: [Servers::Pool]
      # @param resources [#call] gives the same for other pools (database connections): never the first pool
      # @param gauges [#call] gives by name the gauges that only a server or a resource knows
      # @param ruby [RubyVersion]
      # @param collector [#stat, #count, #total_time] Ruby's garbage collector
      def initialize(pools: -> { [] }, resources: -> { [] }, gauges: -> { {} }, ruby: RubyVersion.here,
        collector: GC)
        @pools = pools
        @gauges = gauges
        @resources = resources
        @ruby = ruby
        @collector = collector
      end

      # @return [Array<Integer, nil>] 32 gauges, three for each of eight pools, one more for each that there
      #   is; times in nanoseconds, sizes in bytes
      def to_a
        pools = @pools.call
        gauges = @gauges.call
        [
          Thread.list.size, nil, nil,
          *first(pools.first), nil, nil,
          cpu_ns,
          *gc,
          *gauges.values_at(*JIT),
          @collector.stat(:heap_live_slots),
          pools.first&.served,
          *gauges.values_at(*LATER),
          *each_pool([*pools, *@resources.call])
        ]
      end

      private

      def each_pool(pools)
        pools = pools.first(MOST_POOLS)
        figures = pools.flat_map { |pool| [pool.max, pool.busy, pool.backlog] }
        [*figures, *Array.new(MOST_POOLS * 3 - figures.size), *pools.map(&:oldest_ns)]
      end

      def first(pool)
        pool ? [pool.busy, pool.backlog, pool.free, pool.max] : [nil, nil, nil, nil]
      end

      def cpu_ns
        Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
      end

      def gc
        [*collections, @collector.stat(:total_allocated_objects)]
      end

      # Count and time of the whole process. Where each Ractor collects its own objects, the time comes in
      # milliseconds, and objects and slots are those of the main Ractor: Ruby does not sum these.
      def collections
        return [@collector.count, @collector.total_time] unless @ruby.scopes_gc_stat?
        [@collector.stat(:count, scope: :global), @collector.stat(:time, scope: :global) * MS]
      end
    end
  end
end
