# frozen_string_literal: true

module Holdup
  module Analysis
    # Where the elapsed time of some units went: seven states that add up to it.
    #   running = cpu + starved; idle = io + lock + sleep + native; wall = running + stalled + idle
    StateSplit = Data.define(:cpu, :starved, :stalled, :io, :lock, :sleep, :native) do
      # @param window [Holdup::Window]
      def self.of(window)
        sums = window.sums
        new(cpu: sums[:cpu_ns], starved: sums[:starved_ns], stalled: window.histograms[:stalled].sum,
          io: sums[:io_ns], lock: sums[:lock_ns], sleep: sums[:sleep_ns], native: sums[:native_ns])
      end

      # @return [Integer] ns; equals the measured wall time up to the rounding of single units
      def total = to_h.values.sum

      # @param state [Symbol] a member
      # @return [Float] 0.0 .. 1.0 of the elapsed time
      def share(state)
        total.zero? ? 0.0 : public_send(state).fdiv(total)
      end

      # @return [Symbol] the state that took the most
      def largest
        members.max_by { |state| public_send(state) }
      end
    end
  end
end
