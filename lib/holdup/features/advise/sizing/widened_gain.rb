# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # The gain of another setting, which is booted anew: a boot is a draw, see Analysis::BootSpread.
      # - `spread`: SpreadEstimate; `alone`: 90 % of the gain without it; `interval`: with it
      WidenedGain = Data.define(:spread, :alone, :interval) do
        # @param spread [Analysis::BootSpread::SpreadEstimate]
        # @param gain [Float] of another setting; `alone`: 90 % of it without what boots differ by
        # @param before [Numeric] processes that were recorded; `after`: that will be booted
        # @yieldparam factor [Float] by which units hold the GVL longer in these
        # @yieldreturn [Float] the gain then
        def self.by_replays(spread, gain, alone, before:, after:)
          share = spread.share(before, after)
          here = yield(1.0)
          slower, faster = [share, -share].map { |log| gain + yield(Math.exp(log)) - here }
          of(spread, alone, gain:, slower:, faster:)
        end

        # Independent causes: their distances from the middle add up like standard deviations.
        # @param slower [Float] gain if the new processes are slower than the recorded ones; `faster`: if
        #   they are faster
        def self.of(spread, alone, gain:, slower:, faster:)
          low, high = [slower, faster].minmax
          begins = gain - Math.hypot(gain - alone.begin, [gain - low, 0.0].max)
          ends = gain + Math.hypot(alone.end - gain, [high - gain, 0.0].max)
          new(spread:, alone:, interval: begins..ends)
        end

        # Whether the draw alone makes a certain gain or loss uncertain.
        def decides?
          gains = [alone, interval].map { |range| range.begin.positive? }
          losses = [alone, interval].map { |range| range.end.negative? }
          [gains, losses].include?([true, false])
        end
      end
    end
  end
end
