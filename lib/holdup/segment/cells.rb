# frozen_string_literal: true

require_relative "../histogram"
require_relative "layout"

module Holdup
  module Segment
    # A histogram as it lies in a segment: growing counters, not yet a value. It answers to what Histogram answers to, so
    # accumulators take both; a tick handles ten thousand of these, so nothing is trimmed, frozen or copied.
    Cells = Struct.new(:count, :sum, :min, :max, :zero, :offset, :counts) do
      # A sum without values, as accounts have; below zero to take something off.
      # @return [Cells]
      def self.of_sum(sum) = new(0, sum, nil, nil, 0, 0, [])

      # @param bytes [String] a series slot
      # @param at [Integer] where the histogram starts in it
      # @return [Cells, nil] nil when its bounds can't be true
      def self.parse(bytes, at)
        count, sum, min, max, zero, lo, hi = bytes.unpack("Q<7", offset: at)
        occupied = (lo > hi) ? 0 : hi - lo + 1
        return if lo > Layout::BUCKETS || hi >= Layout::BUCKETS || sum > Layout::MAX_NUMBER || max > Layout::MAX_NUMBER || min > max
        counts = bytes.unpack("Q<#{occupied}", offset: at + Layout::BUCKETS_OFFSET + lo * 8)
        new(count, sum, min, max, zero, occupied.zero? ? 0 : lo, counts) if zero + counts.sum == count
      end

      # What was added since an earlier reading, exact but for min and max (see Histogram::Delta).
      # @param earlier [Cells]
      # @return [Cells, nil] nil when `earlier` is not a beginning of this
      def since(earlier)
        return if count < earlier.count || sum < earlier.sum || zero < earlier.zero
        added = counts_since(earlier)
        return if added.nil? || added.any?(&:negative?)
        change = Cells.new(count - earlier.count, sum - earlier.sum, nil, nil, zero - earlier.zero, offset, added)
        change.bound(self, earlier)
      end

      # @return [Histogram]
      def to_histogram = Histogram.new(**to_h)

      protected

      def bound(later, earlier)
        return self if count.zero?
        self.min = new_extreme?(later.min, earlier.min, earlier) ? later.min : lowest(later.min)
        self.max = new_extreme?(later.max, earlier.max, earlier) ? later.max : highest(later.max)
        self
      end

      private

      def counts_since(earlier)
        return counts if earlier.counts.empty?
        shift = earlier.offset - offset
        return if shift.negative? || shift + earlier.counts.size > counts.size
        subtract(counts.dup, shift, earlier.counts)
      end

      # The hottest loop of a tick.
      def subtract(added, slot, earlier)
        earlier.each do |count|
          added[slot] -= count
          slot += 1
        end
        added
      end

      def new_extreme?(later, before, earlier) = earlier.count.zero? || later != before

      def lowest(min)
        return min if zero.positive?
        first = counts.index(&:positive?)
        first ? [Histogram::Buckets.first(offset + first), min].max : min
      end

      def highest(max)
        last = counts.rindex(&:positive?)
        [last ? Histogram::Buckets.last(offset + last) : Histogram::Buckets::FLOOR_NS, max].min
      end
    end
  end
end
