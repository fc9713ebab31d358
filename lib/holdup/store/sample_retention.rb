# frozen_string_literal: true

module Holdup
  module Store
    # How long samples of single units are kept: 14 days, like windows of five minutes, but never so many that
    # they push windows out of a store that is almost full.
    module SampleRetention
      KEEP_S = 14 * 86_400
      # Of the size limit.
      SHARE = 0.25

      module_function

      # @param sizes [Array<Array(Integer, Integer)>] start and bytes of each, newest first
      # @return [Integer] second; samples that start earlier may be deleted
      def from_s(sizes, now_s, max_bytes)
        room = max_bytes * SHARE
        first_without_room, = sizes.find { |_, bytes| (room -= bytes) < 0 }
        [now_s - KEEP_S, first_without_room ? first_without_room + 1 : 0].max
      end

      # @return [Array<UnitSample>] units that started in the span, by time, with their weights
      def between(blocks, from_s, to_s)
        span_ns = (from_s * 1_000_000_000...to_s * 1_000_000_000)
        samples = blocks.flat_map(&:weighted).select { |sample| span_ns.cover?(sample.start_ns) }
        samples.sort_by(&:start_ns)
      end
    end
  end
end
