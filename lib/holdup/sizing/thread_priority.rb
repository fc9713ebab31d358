# frozen_string_literal: true

module Holdup
  module Sizing
    # What Thread#priority does to a thread's time slice: each step below 0 halves it, each above doubles it.
    # The VM looks every 10 ms whether it is over.
    #
    # Source: rb_thread_schedule_limits in thread.c.
    module ThreadPriority
      TICK_NS = 10_000_000

      # @param slice_ns [Integer] of a thread with priority 0
      # @param priority [Integer]
      # @return [Integer] ns, whole ticks
      def self.slice_ns(slice_ns, priority)
        [(slice_ns * 2.0**priority / TICK_NS).ceil, 1].max * TICK_NS
      end
    end
  end
end
