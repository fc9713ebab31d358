# frozen_string_literal: true

module Holdup
  module Store
    # How long samples of single units are kept: 14 days, like the windows of five minutes, and never so many
    # that they would push windows out of a store that is near its size.
    module SampleRetention
      KEEP_S = 14 * 86_400
      # Of the size that the store may have.
      SHARE = 0.25

      module_function

      # @param sizes [Array<Array(Integer, Integer)>] start and bytes of each, newest first
      # @param now_s [Integer]
      # @param max_bytes [Integer] of the store
      # @return [Integer] second; what starts earlier may go
      def from_s(sizes, now_s, max_bytes)
        room = max_bytes * SHARE
        kept = sizes.take_while { |_, bytes| (room -= bytes) >= 0 }
        [now_s - KEEP_S, (kept.size < sizes.size) ? sizes[kept.size].first + 1 : 0].max
      end

      # @param blocks [Enumerable<SampleBlock>]
      # @return [Array<UnitSample>] in time order, with their weights, of those that started in the span
      def between(blocks, from_s, to_s)
        from_ns, to_ns = [from_s, to_s].map { |second| second * 1_000_000_000 }
        blocks.flat_map(&:weighted).select { |profile| profile.start_ns >= from_ns && profile.start_ns < to_ns }.sort_by(&:start_ns)
      end
    end
  end
end
