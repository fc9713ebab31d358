# frozen_string_literal: true

module Holdup
  module Store
    # Fills the coarser tiers from the finer ones. One span, its rows and its watermark are one transaction,
    # so a killed roll-up resumes where it stopped and a repeated one changes nothing.
    class Rollup
      # The collector writes a minute up to one tick late; later deltas go to the coarser tiers directly.
      GRACE_S = 120

      def initialize(rows)
        @rows = rows
      end

      # @return [Integer] spans written
      def run(now_s)
        Tier::KEEP_S.keys.each_cons(2).sum { |fine, coarse| roll(fine, coarse, now_s) }
      end

      private

      def roll(fine, coarse, now_s)
        written = 0
        written += 1 while @rows.transaction { step(fine, coarse, now_s) }
        written
      end

      # Reads everything inside the transaction, because another host may roll up the same span meanwhile.
      def step(fine, coarse, now_s)
        tier = tier(coarse)
        limit = tier.floor(complete_to(fine, now_s))
        start = next_start(fine, tier, limit)
        write(tier, fine, start) if start
        rolled_to_s = start ? start + coarse : [limit, tier.rolled_to_s].max
        @rows.save_tier(tier.with(rolled_to_s:)) if rolled_to_s != tier.rolled_to_s
        start
      end

      def complete_to(fine, now_s)
        (fine == Tier::FINEST) ? now_s - GRACE_S : tier(fine).rolled_to_s
      end

      def next_start(fine, tier, limit)
        first = @rows.first_start(fine, tier.rolled_to_s)
        start = first && tier.floor(first)
        start if start && start + tier.seconds <= limit
      end

      def write(tier, fine, start)
        sums = @rows.summed(fine, start, start + tier.seconds)
        windows = sums.map { |window| window.with(start_s: start, seconds: tier.seconds) }
        @rows.replace(tier.seconds, start, windows)
      end

      def tier(seconds)
        @rows.tiers.find { |tier| tier.seconds == seconds }
      end
    end
  end
end
