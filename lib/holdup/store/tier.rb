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
  end
end
