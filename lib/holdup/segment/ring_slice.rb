# frozen_string_literal: true

require_relative "layout"
require_relative "snapshot"

module Holdup
  module Segment
    # Consecutive units of a ring as they were read: bytes, of which only what is asked for is parsed. A busy
    # process has thousands of units in a tick, and few of them are wanted singly.
    #
    # - `first`: number of the first unit; `bytes`: their entries
    RingSlice = Data.define(:first, :bytes) do
      # @param bytes [ByteReader] of the segment
      # @param header [Header]
      # @param since [Integer] the number of units that are known already
      # @return [RingSlice] without what the process may have written over meanwhile
      # @raise [ByteReader::TooShort]
      def self.read(bytes, header, since)
        first = [since, header.ring_head - header.ring_capacity].max
        stretch = new(first:, bytes: pieces(bytes, header.ring_capacity, first, header.ring_head))
        whole = bytes.u64(Layout::RING_HEAD) - header.ring_capacity + 1
        stretch.drop([whole - first, stretch.size].min)
      end

      # In one, or in two where the ring begins anew in between.
      def self.pieces(bytes, capacity, first, head)
        turn = [head, first - first % capacity + capacity].min
        [[first, turn], [turn, head]].select { |from, to| from < to }.sum("".b) do |from, to|
          bytes.read(Layout::RING_OFFSET + from % capacity * Layout::RING_ENTRY_BYTES, (to - from) * Layout::RING_ENTRY_BYTES)
        end
      end
      private_class_method :pieces

      # @return [Integer]
      def size = bytes.bytesize / Layout::RING_ENTRY_BYTES

      # @return [Array<Integer>] when each started, ns since 1970
      def starts
        bytes.unpack("Q<x#{Layout::RING_ENTRY_BYTES - 8}" * size)
      end

      # @param index [Integer] 0...size
      # @return [RingEntry]
      def entry(index)
        RingEntry.parse(bytes.byteslice(index * Layout::RING_ENTRY_BYTES, Layout::RING_ENTRY_BYTES))
      end

      # @return [Array<RingEntry>]
      def entries
        Array.new(size) { |index| entry(index) }
      end

      # @param count [Integer]
      # @return [RingSlice] without the oldest so many
      def drop(count)
        count.positive? ? with(first: first + count,
          bytes: bytes.byteslice(count * Layout::RING_ENTRY_BYTES..) || "") : self
      end
    end
  end
end
