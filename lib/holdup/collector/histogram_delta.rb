# frozen_string_literal: true

module Holdup
  class Collector
    # What was added to one histogram between two readings. Sparse: `slots` are the buckets that grew and
    # `counts` by how much, because in ten seconds few do.
    #
    # Exact but for `min` and `max`: those of the difference were never kept, so they are the bounds of the
    # outermost buckets that grew, or exact where the later reading has a new extreme.
    HistogramDelta = Struct.new(:count, :sum, :zero, :min, :max, :slots, :counts) do
      # @param now [Segment::HistogramCells]
      # @param before [Segment::HistogramCells]
      # @return [HistogramDelta, nil] nil when `before` is not a beginning of `now`
      def self.between(now, before)
        growth = new(now.count - before.count, now.sum - before.sum, now.zero - before.zero, nil, nil, [], [])
        return if growth.count < 0 || growth.sum < 0 || growth.zero < 0
        growth.compare(now, before) if growth.count > 0
        growth if growth.consistent?
      end

      # Sets what can only be known from the buckets.
      # @return [void]
      def compare(now, before)
        fill(now.counts, aligned(before, now.offset), now.offset)
        first = before.count.zero?
        self.min = (first || now.min != before.min) ? now.min : lowest(now.min)
        self.max = (first || now.max != before.max) ? now.max : highest(now.max)
      end

      # @return [Boolean] whether the buckets say the same as the count
      def consistent?
        zero + counts.sum == count && (counts.empty? || counts.min > 0)
      end

      private

      # The hottest loop of a tick.
      def fill(now, before, offset)
        index = 0
        while index < now.size
          added = now[index] - (before[index] || 0)
          unless added.zero?
            slots << offset + index
            counts << added
          end
          index += 1
        end
      end

      def aligned(before, offset)
        missing = before.offset - offset
        return before.counts if missing.zero? || before.counts.empty?
        missing.negative? ? [] : Array.new(missing, 0).concat(before.counts)
      end

      def lowest(min)
        (zero.positive? || slots.empty?) ? min : [Histogram::Buckets.first(slots.first), min].max
      end

      def highest(max)
        [slots.empty? ? Histogram::Buckets::FLOOR_NS : Histogram::Buckets.last(slots.last), max].min
      end
    end
  end
end
