# frozen_string_literal: true

require_relative "layout"

module Holdup
  module Segment
    # One unit as the ring keeps it, for replays.
    #
    # - `series_index`: index in SegmentSnapshot#slots; `queued_ns`: nil when unknown
    # - `in_flight_milli`: mean number of units in flight while it was running (not waiting), in thousandths
    # - `concurrency`: units in flight when it began; `rest_ns`: how long none had been; both nil when unknown
    # - `trace`: 32 hexadecimal digits, nil for none
    RingEntry = Data.define(*Layout::RING_FIELDS) do
      def self.parse(bytes)
        *values, queued, in_flight, beginning, trace = bytes.unpack(Layout::RING_ENTRY)
        queued = nil if queued == Layout::UNKNOWN
        trace = nil if trace == Layout::NO_TRACE
        new(*values, queued, in_flight, *parse_beginning(beginning), trace)
      end

      def self.parse_beginning(number)
        return [nil, nil] if number.zero?
        (number >= Layout::RESTED) ? [0, (number - Layout::RESTED) * 1000] : [number, 0]
      end
      private_class_method :parse_beginning
    end

    # Consecutive units of a ring as read: bytes, parsed only on request, because a busy process has thousands
    # of units in a tick and few of them are needed.
    #
    # - `first`: number of the first unit; `bytes`: their entries
    RingSlice = Data.define(:first, :bytes) do
      # @param since [Integer] number of units already known
      # @return [RingSlice] without what the process may have overwritten
      # @raise [ByteReader::TooShort]
      def self.read(bytes, header, since)
        first = [since, header.ring_head - header.ring_capacity].max
        entries = read_entries(bytes, header, first)
        first_intact = bytes.u64(Layout::RING_HEAD) - header.ring_capacity + 1
        slice = new(first:, bytes: entries)
        slice.drop([first_intact - first, slice.size].min)
      end

      # Reads one piece, or two where the ring wraps around.
      def self.read_entries(bytes, header, first)
        capacity, head = header.ring_capacity, header.ring_head
        turn = [head, first - first % capacity + capacity].min
        pieces = [[first, turn], [turn, head]].select { |from, to| from < to }
        read = pieces.map do |from, to|
          offset = header.ring_offset + from % capacity * Layout::RING_ENTRY_BYTES
          bytes.read(offset, (to - from) * Layout::RING_ENTRY_BYTES)
        end
        read.one? ? read.first : read.sum("".b)
      end
      private_class_method :read_entries

      def size = bytes.bytesize / Layout::RING_ENTRY_BYTES

      def start(index)
        bytes.unpack1("Q<", offset: index * Layout::RING_ENTRY_BYTES)
      end

      # Start of each unit, ns since 1970.
      def starts
        bytes.unpack("Q<x#{Layout::RING_ENTRY_BYTES - 8}" * size)
      end

      # Slot of each unit.
      def series_indexes
        bytes.unpack("x8Q<x#{Layout::RING_ENTRY_BYTES - 16}" * size)
      end

      # Of each unit, when it came (ns since 1970), its slot, and whether its queue time is known. Without it
      # a unit came when it started.
      # @yieldparam at_ns [Integer]
      # @yieldparam slot [Integer]
      # @yieldparam stamped [Boolean]
      def each_arrival
        bytes.unpack(self.class::ARRIVAL * size).each_slice(3) do |start_ns, slot, queued_ns|
          stamped = queued_ns != Layout::UNKNOWN
          yield(stamped ? start_ns - queued_ns : start_ns, slot, stamped)
        end
      end

      def entry(index)
        RingEntry.parse(bytes.byteslice(index * Layout::RING_ENTRY_BYTES, Layout::RING_ENTRY_BYTES))
      end

      def entries
        Array.new(size) { |index| entry(index) }
      end

      # Leaves out the oldest units.
      def drop(count)
        return self unless count.positive?
        with(first: first + count, bytes: bytes.byteslice(count * Layout::RING_ENTRY_BYTES..) || "")
      end
    end

    # Of an entry its start, its slot and its queue time.
    RingSlice::ARRIVAL = "Q<2x64Q<x24"
  end
end
