# frozen_string_literal: true

require_relative "../model/histogram"
require_relative "layout"

module Holdup
  module Segment
    # A histogram as it lies in a segment: growing counters, not yet a value. A tick of the collector handles
    # ten thousand of these, so nothing is trimmed, frozen or copied.
    HistogramCells = Struct.new(:count, :sum, :min, :max, :zero, :offset, :counts) do
      # @param bytes [String] a series slot
      # @param at [Integer] where the histogram starts in it
      # @return [HistogramCells, nil] nil when its bounds can't be true
      def self.parse(bytes, at)
        count, sum, min, max, zero, lo, hi = bytes.unpack("Q<7", offset: at)
        occupied = (lo > hi) ? 0 : hi - lo + 1
        if lo > Layout::BUCKETS || hi >= Layout::BUCKETS || sum > Layout::MAX_NUMBER || max > Layout::MAX_NUMBER || min > max
          return
        end
        counts = bytes.unpack("Q<#{occupied}", offset: at + Layout::BUCKETS_OFFSET + lo * 8)
        new(count, sum, min, max, zero, occupied.zero? ? 0 : lo, counts) if zero + counts.sum == count
      end

      # @return [Histogram]
      def to_histogram = Histogram.new(**to_h)
    end
  end
end
