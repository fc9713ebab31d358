# frozen_string_literal: true

module Holdup
  class Collector
    # What was added to one slot between two readings. `sums` and `histograms` are in the order of the layout;
    # `histograms`: dumps (see Histogram::Codec), "" where nothing was added; `path`: the new one, else nil.
    SlotDelta = Struct.new(:series, :count, :errors, :sums, :histograms, :path) do
      # @return [SlotDelta, nil] nil when `before` is not an earlier state of `now`
      def self.between(now, before)
        before ||= SlotDelta::NOTHING
        # zip would make a pair for each
        sums = Array.new(now.sums.size) { |index| now.sums[index] - before.sums[index] }
        return if now.count < before.count || now.errors < before.errors || sums.min < 0
        histograms = Array.new(now.histograms.size) do |index|
          SlotDelta::HistogramDelta.between(now.histograms[index], before.histograms[index])&.dump
        end
        return unless histograms.all?
        new(now.series, now.count - before.count, now.errors - before.errors, sums, histograms,
          before.path ? nil : now.path)
      end

      # The same from the bytes of a slot and its checkpoint, and the next checkpoint, without an array for
      # each bucket: see ext/holdup/reader/slot_dumps.c.
      # @param known [SegmentCheckpoint::SlotCheckpoint, nil] nil: a new slot
      # @return [Array(SlotDelta, SegmentCheckpoint::SlotCheckpoint), nil] nil when only Slot and `between`
      #   can say what it is
      def self.of_bytes(bytes, known)
        return unless defined?(SlotDumps) && bytes.bytesize >= Segment::Layout::SERIES_BYTES
        known ||= SlotDelta::UNKNOWN
        series = known.series || Segment::Slot.parse_series(bytes) or return
        most = Segment::Layout::MAX_NUMBER
        dump, count, errors, grown, histograms = SlotDumps.delta(bytes, known.bytes, most)
        return unless dump
        path = known.path || Segment::Slot.parse_path(bytes)
        [new(series, grown.shift, grown.shift, grown, histograms, known.path ? nil : path),
          SegmentCheckpoint::SlotCheckpoint.new(series, count, errors, dump, path, series.kind == :account)]
      end

      # The account of stall that no unit caused.
      def self.of_handoff(series, handoff_ns)
        sums = Array.new(Segment::Layout::SUMS.size, 0)
        sums[Segment::Layout::SUMS.index(:caused_ns)] = handoff_ns
        new(series, 0, 0, sums, [])
      end

      # Has nothing, not even a sum.
      def empty?
        count.zero? && sums.all?(&:zero?) && histograms.all?(&:empty?)
      end
    end

    empty_sums = Array.new(Segment::Layout::SUMS.size, 0).freeze
    empty_histograms = Array.new(Segment::Layout::HISTOGRAMS.size) do
      Segment::HistogramCells.new(0, 0, 0, 0, 0, 0, [].freeze).freeze
    end
    SlotDelta::NOTHING = Segment::Slot.new(nil, 0, 0, empty_sums, empty_histograms.freeze).freeze
    SlotDelta::UNKNOWN = SegmentCheckpoint::SlotCheckpoint.of(SlotDelta::NOTHING).freeze

    # What was added to one histogram between two readings. `slots`: buckets that grew, ascending (few do in
    # ten seconds); `counts`: by how much.
    #
    # `min` and `max` of the difference were never kept, so they are the bounds of the outermost buckets that
    # grew, or exact where the later reading has a new extreme. All else is exact.
    SlotDelta::HistogramDelta = Struct.new(:count, :sum, :zero, :min, :max, :slots, :counts) do
      # @return [HistogramDelta, nil] nil when `before` is not an earlier state of `now`
      def self.between(now, before)
        delta = new(now.count - before.count, now.sum - before.sum, now.zero - before.zero, nil, nil, [], [])
        return if delta.count < 0 || delta.sum < 0 || delta.zero < 0
        delta.compare(now, before) if delta.count > 0
        delta if delta.consistent?
      end

      # Sets what only the buckets show.
      def compare(now, before)
        fill(now.counts, aligned(before, now.offset), now.offset)
        # An extreme that the earlier reading had may be older.
        first = before.count.zero?
        self.min = (first || now.min != before.min) ? now.min : lowest(now.min)
        self.max = (first || now.max != before.max) ? now.max : highest(now.max)
      end

      # The sparse form of Histogram::Codec, whatever is shorter: it only lives until the commit.
      def dump
        return "".b if count.zero? && sum.zero?
        gaps = slots.each_with_index.map { |slot, index| index.zero? ? slot : slot - slots[index - 1] }
        head = [Histogram::Codec::SPARSE, count, sum, min || 0, max || 0, zero, slots.size]
        [*head, *gaps.zip(counts).flatten].pack("Cw*")
      end

      # Whether the buckets add up to the count.
      def consistent?
        zero + counts.sum == count && (counts.empty? || counts.min > 0)
      end

      private

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
