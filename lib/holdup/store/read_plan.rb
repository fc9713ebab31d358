# frozen_string_literal: true

module Holdup
  module Store
    # The rows to read for a span: the coarsest that lie inside it, finer ones at its ends, each second once.
    # Where the fine rows of an end were pruned, the end is widened to the remaining windows.
    class ReadPlan
      # Rows of one tier with from_s <= start < to_s.
      TierRange = Data.define(:seconds, :from_s, :to_s)

      def initialize(tiers)
        @tiers = tiers.sort_by { |tier| -tier.seconds }
      end

      # @param to_s [Integer] first second after the span
      # @param seconds [Integer, nil] longest window, for charts; longer ones only where shorter were pruned
      # @return [Array<TierRange>] in time order
      def ranges(from_s, to_s, seconds: nil)
        level = @tiers.index { |tier| tier.seconds <= (seconds || tier.seconds) } || @tiers.size - 1
        cover(from_s, to_s, level)
      end

      private

      def cover(from_s, to_s, level)
        return [] if from_s >= to_s
        return widened(from_s, to_s, level) if pruned?(from_s, level)
        if level == @tiers.size - 1
          from_s = @tiers[level].floor(from_s)
          return [TierRange.new(seconds: Tier::FINEST, from_s:, to_s:)]
        end
        around(from_s, to_s, level)
      end

      def pruned?(from_s, level)
        level.positive? && from_s < @tiers[level].kept_from_s
      end

      def around(from_s, to_s, level)
        tier = @tiers[level]
        first = tier.ceil(from_s)
        last = tier.floor([to_s, tier.rolled_to_s].min)
        return cover(from_s, to_s, level + 1) if first >= last
        inner = TierRange.new(seconds: tier.seconds, from_s: first, to_s: last)
        [*cover(from_s, first, level + 1), inner, *cover(last, to_s, level + 1)]
      end

      def widened(from_s, to_s, level)
        kept = @tiers[level].kept_from_s
        coarser(from_s, [kept, to_s].min, level - 1) + cover(kept, to_s, level)
      end

      def coarser(from_s, to_s, level)
        tier = @tiers[level]
        from_s = tier.floor(from_s)
        to_s = tier.ceil(to_s)
        return [TierRange.new(seconds: tier.seconds, from_s:, to_s:)] unless pruned?(from_s, level)
        lost = [tier.kept_from_s, to_s].min
        kept = (lost < to_s) ? [TierRange.new(seconds: tier.seconds, from_s: lost, to_s:)] : []
        coarser(from_s, lost, level - 1) + kept
      end
    end
  end
end
