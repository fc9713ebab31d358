# frozen_string_literal: true

module Holdup
  module Store
    # One resolution in which windows are kept, and how far it has come. Minutes are what the collector
    # writes; the others are rolled up from the next finer one. A row in a coarser tier repeats what the finer
    # one says, so a reader takes each second from one tier only (see ReadPlan).
    #
    # The day tier is more than the retention asks for: a report over 30 days then reads 30 rows a series and
    # not 720.
    #
    # - `seconds`: length of its windows
    # - `rolled_to_s`: the tier is complete before this second (0: nothing yet; meaningless for the finest)
    # - `kept_from_s`: rows that start earlier were pruned
    Tier = Data.define(:seconds, :rolled_to_s, :kept_from_s) do
      # @return [Array<Tier>] a new store's tiers, finest first
      def self.fresh
        self::KEEP_S.keys.map { |seconds| new(seconds:, rolled_to_s: 0, kept_from_s: 0) }
      end

      # @param tiers [Array<Tier>] finest first
      # @return [Integer] seconds of the shortest windows that are still there from then on
      def self.finest_s(tiers, from_s)
        (tiers.find { |tier| tier.kept_from_s <= from_s } || tiers.last).seconds
      end

      # @return [Integer] the start of the window that second lies in
      def floor(second) = second - second % seconds

      # @return [Integer] the first start at or after that second
      def ceil(second) = -(-second / seconds) * seconds

      # @return [Boolean] whether its windows are written by roll-up
      def rolled? = seconds != self.class::FINEST

      # @return [Integer] seconds its rows are kept
      def keep_s = self.class::KEEP_S.fetch(seconds)

      # @return [Boolean] whether a minute that comes in now has to be added here at once: always in the
      #   finest tier; elsewhere when its roll-up has already been made. Never below what is still kept
      def takes?(start_s)
        return false if floor(start_s) < kept_from_s
        !rolled? || start_s < rolled_to_s
      end
    end

    Tier::FINEST = 60
    Tier::KEEP_S = {60 => 48 * 3600, 300 => 14 * 86_400, 3600 => 400 * 86_400, 86_400 => 400 * 86_400}.freeze
    # What is small and belongs to no tier stays as long as the coarsest.
    Tier::LONGEST_S = Tier::KEEP_S.values.max
  end
end
