# frozen_string_literal: true

module Holdup
  class Collector
    # How far one slot of a segment has been carried: its numbers at that reading, packed as the store keeps
    # them, because most slots do not change and a collector has thousands. The few numbers that may be large
    # are BER (`pack "w"`); the many bucket counts have the form of UTF-8 (`pack "U"`), eight times faster.
    #
    # - `series`, `path`: nil in a mark from a store, until the slot is read
    # - `account`: whether it is a thread's time outside of units
    SlotCheckpoint = Struct.new(:series, :count, :errors, :bytes, :path, :account) do
      def self.of(slot)
        numbers = [slot.count, slot.errors, *slot.sums]
        slot.histograms.each do |cells|
          numbers.push(cells.count, cells.sum, cells.min, cells.max, cells.zero, cells.offset,
            cells.counts.size)
        end
        bytes = pack(numbers, slot.histograms.flat_map(&:counts))
        new(slot.series, slot.count, slot.errors, bytes, slot.path, slot.account?)
      end

      # @raise [DamagedData]
      def self.load(bytes, account: false)
        _, count, errors = bytes.unpack("w3")
        new(nil, count, errors, bytes, nil, account)
      end

      def self.pack(numbers, counts)
        large = counts.max.to_i > SlotCheckpoint::LARGEST
        [large ? 1 : 0].concat(numbers, counts).pack(large ? "w*" : SlotCheckpoint::FORMAT).freeze
      end
      private_class_method :pack

      # As it was read.
      # @raise [DamagedData]
      def slot
        numbers = bytes.unpack((bytes.getbyte(0) == 1) ? "w*" : SlotCheckpoint::FORMAT)
        damaged if numbers[SlotCheckpoint::NUMBERS].nil?
        counts_at = SlotCheckpoint::NUMBERS + 1
        histograms = Array.new(Segment::Layout::HISTOGRAMS.size) do |index|
          head_at = SlotCheckpoint::HISTOGRAMS_AT + index * SlotCheckpoint::HISTOGRAM_FACTS
          *head, size = numbers[head_at, SlotCheckpoint::HISTOGRAM_FACTS]
          counts = numbers[counts_at, size]
          counts_at += size
          Segment::HistogramCells.new(*head, counts)
        end
        damaged unless counts_at == numbers.size
        Segment::Slot.new(series, count, errors, numbers[SlotCheckpoint::SUMS_AT], histograms, path)
      rescue ArgumentError # malformed UTF-8
        damaged
      end

      # Whether these bytes of a slot have the same numbers.
      def still_in?(bytes) = still?(bytes.unpack("Q<2", offset: Segment::Layout::COUNT_OFFSET))

      def still?(numbers)
        numbers[0] == count && numbers[1] == errors && !account? && !series.nil?
      end

      def account? = account

      private

      def damaged
        raise DamagedData.new("a segment's stored position is damaged")
      end
    end

    # After the form of the counts come count, errors and sums; then for each histogram its numbers and how
    # many counts it has; then all counts.
    SlotCheckpoint::SUMS_AT = (3...3 + Segment::Layout::SUMS.size)
    SlotCheckpoint::HISTOGRAMS_AT = SlotCheckpoint::SUMS_AT.end
    SlotCheckpoint::HISTOGRAM_FACTS = 7
    SlotCheckpoint::NUMBERS = SlotCheckpoint::HISTOGRAMS_AT - 1 +
      SlotCheckpoint::HISTOGRAM_FACTS * Segment::Layout::HISTOGRAMS.size
    SlotCheckpoint::FORMAT = "w#{SlotCheckpoint::NUMBERS + 1}U*".freeze
    # Limit of UTF-8's form. A larger count in one bucket is unlikely, but stays exact.
    SlotCheckpoint::LARGEST = (1 << 31) - 1
  end
end
