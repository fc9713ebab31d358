# frozen_string_literal: true

module Holdup
  class Recorder
    # For how long one unit keeps connections (or what else a pool has) from others: the sum over all of them,
    # until they are given back or the unit ends, whichever is earlier. It knows neither the unit nor the
    # connections, so that whoever keeps it keeps nothing else alive.
    #
    # Threads may share one: the clock is read first, because within one line of arithmetic threads don't
    # switch.
    class ConnectionHold
      # @param clock [#monotonic_ns]
      def initialize(clock)
        @clock = clock
        @ns = @open = 0
      end

      # One more is kept.
      # @return [self]
      def take
        now = @clock.monotonic_ns
        @ns -= now
        @open += 1
        self
      end

      # One less. After the unit's end: nothing, because up to then it has been counted.
      # @return [void]
      def give_back
        return if @open.zero?
        now = @clock.monotonic_ns
        @ns += now
        @open -= 1
      end

      # @return [Integer] ns up to now, of all connections together
      def so_far
        now = @clock.monotonic_ns
        @ns + @open * now
      end

      # The unit ends.
      # @return [Integer] ns, of all connections together
      def end
        @ns = so_far if @open.positive?
        @open = 0
        @ns
      end
    end
  end
end
