# frozen_string_literal: true

module Holdup
  module Analysis
    # When to add machines, by the time that work waits before a thread takes it: what rises when capacity
    # ends. One figure for all that name it.
    module QueueAlarm
      PERCENTILE = 0.95
      # From here on waiting is felt; nobody who has a free thread waits that long.
      FELT_NS = 20_000_000
      # Of what it is while all is well.
      TIMES = 2

      # @param queued [Histogram] of the time in the queue
      # @return [Integer, nil] nanoseconds at the percentile
      def self.p95_ns(queued)
        queued.quantile(PERCENTILE)&.round
      end

      # @param p95_ns [Numeric, nil] as it is
      # @return [Integer] nanoseconds: add machines when it is above
      def self.limit_ns(p95_ns)
        [TIMES * p95_ns.to_i, FELT_NS].max
      end
    end
  end
end
