# frozen_string_literal: true

module Holdup
  class StatsLog
    # When the next line is due: every so often, a tenth earlier or later by chance, the first after a part of
    # it, so that the processes of a host don't all write in the same moment. By time and not by requests: an
    # idle process tells as well.
    class Schedule
      JITTER = 0.1
      NS = 1_000_000_000

      # @param every_s [Numeric]
      # @param share [Numeric] of the lines that are written
      # @param clock [#monotonic_ns]
      # @param random [#rand] one of its own: the application's sequence must not be touched
      def initialize(every_s:, share:, clock:, random: Random.new)
        @every_ns = every_s * NS
        @share = share
        @clock = clock
        @random = random
        wait(@random.rand)
      end

      # @return [Boolean] whether a line is to be written now; asking for it also sets the time of the next
      #   one
      def due?
        return false if @clock.monotonic_ns < @next_ns
        wait(1 - JITTER + 2 * JITTER * @random.rand)
        @random.rand < @share
      end

      private

      def wait(intervals)
        @next_ns = @clock.monotonic_ns + intervals * @every_ns
      end
    end
  end
end
