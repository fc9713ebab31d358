# frozen_string_literal: true

module Holdup
  class Collector
    # How far one segment has been carried: a checkpoint for every slot. It is stored with the windows in one
    # transaction, so the next collector subtracts exactly what is already counted.
    #
    # - `created_ns`: when the segment was made; a file with the same name and another time is another segment
    # - `read_ns`: when it was read; `finished`: all is carried, and only the file remains to be removed
    # - `handoff_ns`: that counter of the header; `ring_head`: how many of the ring's units were read
    # - `slots`: Array of SlotCheckpoint by slot; nil for a slot that was never read
    # - `pairs`: Array of ns by row of the table of pairs
    # - `slowest_head`: how many of the list of slowest units were read
    SegmentCheckpoint = Data.define(
      :created_ns, :read_ns, :finished, :handoff_ns, :ring_head, :slots, :pairs, :slowest_head
    ) do
      # Nothing carried yet.
      def self.start(created_ns)
        new(created_ns:, read_ns: created_ns, finished: false, handoff_ns: 0, ring_head: 0, slots: [].freeze,
          pairs: [].freeze, slowest_head: 0)
      end

      # Finished, without slots and pairs.
      def done = with(finished: true, slots: [].freeze, pairs: [].freeze)

      # Whether units were recorded since: an idle process moves only its accounts.
      def units_moved?(earlier)
        return true if earlier.nil? || earlier.slots.size != slots.size || earlier.finished != finished
        slots.each_index.any? { |index| !slots[index].equal?(earlier.slots[index]) && !slots[index].account? }
      end
    end

    # Encodes a checkpoint in two parts, because accounts move all the time and units, which are a hundred
    # times larger, only when there is work.
    module SegmentCheckpoint::Codec
      VERSION = 5 # 4 had no slowest units

      module_function

      # Everything but the units.
      def dump_head(checkpoint)
        slots = checkpoint.slots
        accounts = slots.each_index.select { |index| slots[index]&.account? }
        facts = [VERSION, checkpoint.created_ns, checkpoint.read_ns, checkpoint.finished ? 1 : 0,
          checkpoint.handoff_ns, checkpoint.ring_head, checkpoint.slowest_head, checkpoint.pairs.size,
          *checkpoint.pairs, accounts.size]
        accounts.each_with_object(facts.pack("w*")) do |index, bytes|
          slot = slots[index]
          bytes << [index, slot.generation.to_i, slot.bytes.bytesize].pack("w3") << slot.bytes
        end
      end

      def dump_units(checkpoint)
        slots = checkpoint.slots
        parts = slots.each_with_object([slots.size]) do |slot, parts|
          unit = (slot.nil? || slot.account?) ? "" : slot.bytes
          parts.push(unit.bytesize, unit)
        end
        parts.pack("w#{"wa*" * slots.size}") # at once: a collector has thousands in each round
      end

      # The slots have no series until the segment is read again.
      # @raise [DamagedData]
      def load(head, units)
        source = Source.new(head)
        check(source.number)
        created_ns, read_ns, finished, handoff_ns, ring_head, slowest_head = Array.new(6) { source.number }
        pairs = Array.new(source.number(most: Segment::Layout::MAX_PAIRS)) { source.number }
        slots = units ? load_units(Source.new(units)) : []
        source.number.times do
          index = source.number(most: Segment::Layout::MAX_SERIES)
          generation = source.number
          slots[index] = source.slot(account: true)
          slots[index]&.generation = generation
        end
        SegmentCheckpoint.new(created_ns:, read_ns:, finished: finished == 1, handoff_ns:, ring_head:,
          slots: slots.freeze, pairs: pairs.freeze, slowest_head:)
      end

      def check(version)
        return if version == VERSION
        raise DamagedData.new("a segment's stored checkpoint has version #{version}",
          "this Holdup reads #{VERSION}")
      end

      def load_units(source)
        Array.new(source.number(most: Segment::Layout::MAX_SERIES)) { source.slot }
      end
      private_class_method :check, :load_units

      class Source
        def initialize(bytes)
          @bytes = bytes
          @at = 0
        end

        # @param most [Integer, nil] limit; a larger number is damage
        # @raise [DamagedData] also when no bytes are left
        def number(most: nil)
          value = @bytes.unpack1("w", offset: @at) or raise_damaged
          raise_damaged if most && value > most
          @at += [value].pack("w").bytesize
          value
        rescue ArgumentError
          raise_damaged
        end

        # @raise [DamagedData]
        def slot(account: false)
          length = number
          return if length.zero?
          raise_damaged if @at + length > @bytes.bytesize
          @at += length
          SegmentCheckpoint::SlotCheckpoint.load(@bytes.byteslice(@at - length, length).freeze, account:)
        end

        private

        def raise_damaged
          raise DamagedData.new("a segment's stored checkpoint is damaged")
        end
      end
    end

    class SegmentCheckpoint
      # How far one slot of a segment has been carried: its numbers when it was read, packed as the store
      # keeps them, because most slots do not change and a collector has thousands: varints (`pack "w"`).
      #
      # - `series`, `path`: nil in one from a store, until the slot is read
      # - `account`: whether it is a thread's time outside of units
      # - `generation`: of an account, see Segment::AccountSlot; nil is 0
      SlotCheckpoint = Struct.new(:series, :count, :errors, :bytes, :path, :account, :generation) do
        def self.of(slot)
          numbers = [slot.count, slot.errors, *slot.sums]
          slot.histograms.each do |cells|
            numbers.push(cells.count, cells.sum, cells.min, cells.max, cells.zero, cells.offset,
              cells.counts.size)
          end
          bytes = (numbers + slot.histograms.flat_map(&:counts)).pack("w*").freeze
          new(slot.series, slot.count, slot.errors, bytes, slot.path, slot.account?)
        end

        # @raise [DamagedData]
        def self.load(bytes, account: false)
          count, errors = bytes.unpack("w2")
          new(nil, count, errors, bytes, nil, account)
        end

        # As it was read.
        # @raise [DamagedData]
        def slot
          numbers = bytes.unpack("w*")
          damaged if numbers.size < SlotCheckpoint::NUMBERS
          counts_at = SlotCheckpoint::NUMBERS
          histograms = Array.new(Segment::Layout::HISTOGRAMS.size) do |index|
            head_at = SlotCheckpoint::HISTOGRAMS_AT + index * SlotCheckpoint::HISTOGRAM_FACTS
            *head, size = numbers[head_at, SlotCheckpoint::HISTOGRAM_FACTS]
            counts = numbers[counts_at, size]
            counts_at += size
            Segment::HistogramCells.new(*head, counts)
          end
          damaged unless counts_at == numbers.size
          Segment::Slot.new(series, count, errors, numbers[SlotCheckpoint::SUMS_AT], histograms, path)
        rescue ArgumentError # a number that does not end
          damaged
        end

        # Whether these bytes of a slot have the same numbers. Without an array: most slots have others.
        def still_in?(bytes)
          at = Segment::Layout::COUNT_OFFSET
          now = bytes.unpack1("Q<", offset: at)
          now == count && still?([now, bytes.unpack1("Q<", offset: at + 8)])
        end

        def still?(numbers)
          numbers[0] == count && numbers[1] == errors && !account? && !series.nil?
        end

        def account? = account

        private

        def damaged
          raise DamagedData.new("a segment's stored checkpoint is damaged")
        end
      end

      # Count, errors and sums; then for each histogram its numbers and how many counts it has; then all
      # counts.
      SlotCheckpoint::SUMS_AT = (2...2 + Segment::Layout::SUMS.size)
      SlotCheckpoint::HISTOGRAMS_AT = SlotCheckpoint::SUMS_AT.end
      SlotCheckpoint::HISTOGRAM_FACTS = 7
      SlotCheckpoint::NUMBERS = SlotCheckpoint::HISTOGRAMS_AT +
        SlotCheckpoint::HISTOGRAM_FACTS * Segment::Layout::HISTOGRAMS.size
    end
  end
end
