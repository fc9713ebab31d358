# frozen_string_literal: true

module Holdup
  module Store
    # One resolution of windows, and how far it is filled. The collector writes minutes; each other tier is
    # rolled up from the next finer one and repeats it, so a reader takes each second from one tier (see
    # ReadPlan). The day tier lets a report over 30 days read 30 rows a series instead of 720.
    #
    # - `seconds`: length of its windows
    # - `rolled_to_s`: the tier is complete before this second (0: nothing yet; unused for the finest)
    # - `kept_from_s`: rows that start earlier were pruned
    Tier = Data.define(:seconds, :rolled_to_s, :kept_from_s) do
      # A new store's tiers, finest first.
      def self.fresh
        self::KEEP_S.keys.map { |seconds| new(seconds:, rolled_to_s: 0, kept_from_s: 0) }
      end

      # Length in seconds of the shortest windows kept from that second on. `tiers`: finest first
      def self.finest_s(tiers, from_s)
        (tiers.find { |tier| tier.kept_from_s <= from_s } || tiers.last).seconds
      end

      # @param starts [Hash{Integer => Integer}] length of windows => second before which there are none
      # @return [Array<Tier>, nil] the tiers with at least these limits; nil when longer windows are not
      #   filled up to there
      def self.kept_from(tiers, starts)
        limited = tiers.map do |tier|
          tier.with(kept_from_s: [tier.kept_from_s, starts.fetch(tier.seconds, 0)].max)
        end
        filled = limited.each_cons(2).all? { |fine, coarse| fine.kept_from_s <= coarse.rolled_to_s }
        limited if filled
      end

      # Start of the window that contains the second.
      def floor(second) = second - second % seconds

      # First start at or after the second.
      def ceil(second) = -(-second / seconds) * seconds

      # Whether roll-up writes its windows.
      def rolled? = seconds != self.class::FINEST

      # Seconds that its rows are kept.
      def keep_s = self.class::KEEP_S.fetch(seconds)

      # Whether a late minute must be added here at once: always in the finest tier, else when its roll-up is
      # done; never before kept_from_s.
      def takes?(start_s)
        return false if floor(start_s) < kept_from_s
        !rolled? || start_s < rolled_to_s
      end
    end

    Tier::FINEST = 60
    Tier::KEEP_S = {60 => 48 * 3600, 300 => 14 * 86_400, 3600 => 400 * 86_400, 86_400 => 400 * 86_400}.freeze
    # Small data that belongs to no tier is kept as long as the coarsest tier.
    Tier::LONGEST_S = Tier::KEEP_S.values.max

    class Tier
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

      # Deletes rows that are too old for their tier and then, while the store is above its size, the oldest
      # of the finest tier, and so on up. It never deletes rows that were not rolled up: they exist nowhere
      # else.
      class Pruning
        # Seconds that one size cut deletes, by tier: enough to matter, little enough to keep what fits.
        CUT_S = {60 => 3600, 300 => 86_400, 3600 => 7 * 86_400, 86_400 => 30 * 86_400}.freeze

        # @param rows [Memory::WindowRows, Sql::WindowRows]
        def initialize(rows)
          @rows = rows
        end

        # @param max_bytes [Numeric] size limit of the store's content; infinite: bytes are not even counted
        # @return [Integer] rows deleted
        def run(now_s, max_bytes:)
          by_age(now_s) + by_size(max_bytes)
        end

        private

        def by_age(now_s)
          Tier::KEEP_S.sum { |seconds, keep_s| cut(seconds, to_s: now_s - keep_s) { now_s - keep_s } }
        end

        def by_size(max_bytes)
          deleted = 0
          return deleted if max_bytes == Float::INFINITY
          while @rows.bytes > max_bytes
            cut = cut_finest
            return deleted if cut.zero?
            deleted += cut
          end
          deleted
        end

        def cut_finest
          CUT_S.each do |seconds, cut_s|
            deleted = cut(seconds) { |first| first + cut_s }
            return deleted if deleted.positive?
          end
          0
        end

        # @param to_s [Integer, nil] without rows before it there is nothing to do, so a store need not read
        #   later ones
        # @yieldparam first [Integer] start of the oldest row
        # @yieldreturn [Integer] second before which rows may be deleted
        def cut(seconds, to_s: nil)
          @rows.transaction do
            tier = @rows.tiers.find { |one| one.seconds == seconds }
            first = @rows.first_start(seconds, 0, to_s)
            before = first ? allowed(tier, yield(first)) : 0
            (before > tier.kept_from_s) ? forget(tier, before) : 0
          end
        end

        # Cuts at the boundary of the next coarser tier, which must have all rows before it. The coarsest has
        # no rows after its roll-up: a cut beyond it would reject what comes next.
        def allowed(tier, before)
          coarser = @rows.tiers.find { |one| one.seconds > tier.seconds } || tier
          [coarser.floor(before), coarser.rolled_to_s].min
        end

        def forget(tier, before)
          @rows.save_tier(tier.with(kept_from_s: before))
          @rows.delete_before(tier.seconds, before)
        end
      end

      # The rows to read for a span: the coarsest that lie inside it, finer ones at its ends, each second
      # once. Where the fine rows of an end were pruned, the end is widened to the remaining windows.
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
end
