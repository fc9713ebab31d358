# frozen_string_literal: true

require_relative "../../segment/reader"

module Holdup
  class StatsLog
    # The segment of this very process, for a Segment::Reader: out of its memory, so that no read lets go of
    # the GVL and has to wait for it again. Nobody writes it meanwhile.
    class OwnSegment
      # @param probe [#read_segment]
      def initialize(probe)
        @probe = probe
      end

      # @return [Segment::Reader]
      # @raise [SegmentError] when there is none
      def reader
        Segment::Reader.new(self, path: "the segment of process #{Process.pid}")
      end

      # @return [Segment::Header, nil] nil when there is no segment
      def header
        reader.header if @probe.read_segment(0, Segment::Layout::HEADER_BYTES)
      end

      # As IO#pread.
      # @return [String]
      # @raise [EOFError] beyond the end
      def pread(length, offset, buffer = +"")
        buffer.replace(@probe.read_segment(offset, length) || raise(EOFError))
      end

      # @return [Integer, nil] nobody counts them
      def size = nil
    end
  end
end
