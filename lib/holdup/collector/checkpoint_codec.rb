# frozen_string_literal: true

module Holdup
  class Collector
    # A Position as binary and back. In two parts, because accounts move all the time and units, which are a
    # hundred times larger, only when there is work.
    #
    # Version 1 knew no ring: all units that are still in it are new to who reads such a position.
    module CheckpointCodec
      VERSION = 2
      VERSIONS = [1, 2].freeze

      module_function

      # @param position [SegmentCheckpoint]
      # @return [String] everything but the units
      def dump_head(position)
        accounts = position.marks.each_with_index.select { |mark, _| mark&.account? }
        facts = [VERSION, position.created_ns, position.read_ns, position.finished ? 1 : 0,
          position.handoff_ns, position.ring_head, accounts.size]
        accounts.each_with_object(facts.pack("w*")) { |(mark, index), all|
          all << [index, mark.bytes.bytesize].pack("w2") << mark.bytes
        }
      end

      # @param position [SegmentCheckpoint]
      # @return [String]
      def dump_units(position)
        position.marks.each_with_object([position.marks.size].pack("w")) do |mark, all|
          bytes = (mark.nil? || mark.account?) ? "" : mark.bytes
          all << [bytes.bytesize].pack("w") << bytes
        end
      end

      # @param head [String]
      # @param units [String, nil]
      # @return [SegmentCheckpoint] its marks have no series until the segment is read again
      # @raise [DamagedData]
      def load(head, units)
        source = Source.new(head)
        version = source.number
        unless VERSIONS.include?(version)
          raise DamagedData.new("a segment's stored position has version #{version}",
            "this Holdup reads #{VERSIONS.join(" and ")}")
        end
        created_ns, read_ns, finished, handoff_ns = Array.new(4) { source.number }
        ring_head = (version == 1) ? 0 : source.number
        marks = units ? load_units(Source.new(units)) : []
        source.number.times { marks[source.number(most: Segment::Layout::MAX_SERIES)] = source.mark(account: true) }
        SegmentCheckpoint.new(created_ns:, read_ns:, finished: finished == 1, handoff_ns:, ring_head:,
          marks: marks.freeze)
      end

      def load_units(source)
        Array.new(source.number(most: Segment::Layout::MAX_SERIES)) { source.mark }
      end

      # Bytes, taken from the front.
      class Source
        # @param bytes [String]
        def initialize(bytes)
          @bytes = bytes
          @at = 0
        end

        # @param most [Integer, nil] what is larger can't be true
        # @return [Integer]
        # @raise [DamagedData] when there is none left
        def number(most: nil)
          value = @bytes.unpack1("w", offset: @at) or raise_damaged
          raise_damaged if most && value > most
          @at += [value].pack("w").bytesize
          value
        rescue ArgumentError
          raise_damaged
        end

        # @param account [Boolean]
        # @return [SlotCheckpoint, nil]
        # @raise [DamagedData]
        def mark(account: false)
          length = number
          return if length.zero?
          raise_damaged if @at + length > @bytes.bytesize
          @at += length
          SlotCheckpoint.load(@bytes.byteslice(@at - length, length).freeze, account:)
        end

        private

        def raise_damaged
          raise(DamagedData.new("a segment's stored position is damaged"))
        end
      end
    end
  end
end
