# frozen_string_literal: true

module Holdup
  module Probe
    # The state of this process at a tick, as the segment's gauges want it (names and order:
    # Holdup::Segment::Layout::GAUGES). nil is "unknown": the probe fills in what only it knows (waiting threads, units
    # in flight), the collector what it reads from outside (RSS, PSS, CPU).
    #
    # `pool` tells how busy the server's threads are; it answers busy, backlog, capacity, max_threads and
    # requests_count, and may be nil.
    class ProcessStats
      def initialize(pool: nil)
        @pool = pool
      end

      # @return [Array<Integer, nil>] 21 gauges; times in nanoseconds, sizes in bytes
      def to_a
        [Thread.list.size, nil, nil, *pool, nil, nil, nil, *gc, *jit, GC.stat(:heap_live_slots), @pool&.requests_count]
      end

      private

      def pool
        return [nil, nil, nil, nil] unless @pool
        [@pool.busy, @pool.backlog, @pool.capacity, @pool.max_threads]
      end

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
