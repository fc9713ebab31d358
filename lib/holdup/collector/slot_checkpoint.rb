# frozen_string_literal: true

module Holdup
  class Collector
    # How far one slot of a segment has been carried: its numbers at that reading, as the bytes that the store
    # keeps. Packed, because most slots stand still and a collector looks after thousands.
    #
    # The few numbers that may be large are BER (`pack "w"`); the bucket counts, of which there are very many,
    # have the form of UTF-8 (`pack "U"`), which is as short and eight times faster to make. `series` is nil
    # until the slot was read, when the mark came from a store; so is `path`. `account`: whether it is a
    # thread's time outside of units.
    SlotCheckpoint = Struct.new(:series, :count, :errors, :bytes, :path, :account) do
      # @param slot [Segment::Slot]
      # @return [SlotCheckpoint]
      def self.of(slot)
        numbers = [slot.count, slot.errors].concat(slot.sums)
        slot.histograms.each { |cells|
          numbers.push(cells.count, cells.sum, cells.min, cells.max, cells.zero, cells.offset,
            cells.counts.size)
        }
        new(slot.series, slot.count, slot.errors, pack(numbers, slot.histograms.flat_map(&:counts)),
          slot.path, slot.account?)
      end

      # @param bytes [String] as the store keeps it
      # @param account [Boolean]
      # @return [SlotCheckpoint]
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

      # @return [Segment::Slot] as it was read
      # @raise [DamagedData]
      def slot
        numbers = bytes.unpack((bytes.getbyte(0) == 1) ? "w*" : SlotCheckpoint::FORMAT)
        return damaged if numbers[SlotCheckpoint::NUMBERS].nil?
        at = SlotCheckpoint::NUMBERS + 1
        histograms = Array.new(Segment::Layout::HISTOGRAMS.size) do |index|
          *head, size = numbers[1 + SlotCheckpoint::FACTS + index * 7, 7]
          Segment::HistogramCells.new(*head, numbers[at, size]).tap { at += size }
        end
        (at == numbers.size) ? Segment::Slot.new(series, count, errors, numbers[3..SlotCheckpoint::FACTS],
          histograms, path) : damaged
      rescue ArgumentError # malformed UTF-8
        damaged
      end

      # @see Segment::Slot#still?
      def still?(numbers)
        numbers[0] == count && numbers[1] == errors && !account? && !series.nil?
      end

      # @see Segment::Slot#account?
      def account? = account

      private

      def damaged
        raise(DamagedData.new("a segment's stored position is damaged"))
      end
    end

    # Count, errors and sums; then seven numbers for each histogram; then all counts.
    SlotCheckpoint::FACTS = 2 + Segment::Layout::SUMS.size
    SlotCheckpoint::NUMBERS = SlotCheckpoint::FACTS + 7 * Segment::Layout::HISTOGRAMS.size
    SlotCheckpoint::FORMAT = "w#{SlotCheckpoint::NUMBERS + 1}U*".freeze
    # More than UTF-8's form can hold: nobody has seen so many units in one bucket, but the count stays exact.
    SlotCheckpoint::LARGEST = (1 << 31) - 1
  end
end
