# frozen_string_literal: true

module Holdup
  module Store
    # Deletes rows that are too old for their tier and then, while the store is above its size, the oldest of
    # the finest tier, and so on up. It never deletes rows that were not rolled up: they exist nowhere else.
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
        Tier::KEEP_S.sum { |seconds, keep_s| cut(seconds) { now_s - keep_s } }
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

      # @yieldparam first [Integer] start of the oldest row
      # @yieldreturn [Integer] second before which rows may be deleted
      def cut(seconds)
        @rows.transaction do
          tier = @rows.tiers.find { |one| one.seconds == seconds }
          first = @rows.first_start(seconds, 0)
          before = first ? allowed(tier, yield(first)) : 0
          (before > tier.kept_from_s) ? forget(tier, before) : 0
        end
      end

      # Cuts at the boundary of the next coarser tier, which must have all rows before it.
      def allowed(tier, before)
        coarser = @rows.tiers.find { |one| one.seconds > tier.seconds }
        coarser ? [coarser.floor(before), coarser.rolled_to_s].min : tier.floor(before)
      end

      def forget(tier, before)
        @rows.save_tier(tier.with(kept_from_s: before))
        @rows.delete_before(tier.seconds, before)
      end
    end
  end
end
