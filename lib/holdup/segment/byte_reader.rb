# frozen_string_literal: true

require_relative "layout"

module Holdup
  module Segment
    # The bytes of a segment file, read with pread so that nothing is mapped and nothing can fault: the file
    # may be cut short at any time. Of a process that died while it applied a unit, the redo log is laid over
    # what is read, which makes the unit whole; the file itself is never changed.
    class ByteReader
      # The file ends before what was asked for.
      class TooShort < StandardError; end

      # @param io [IO] opened for reading
      def initialize(io)
        @io = io
        @redo = {}
      end

      # @return [Integer]
      def size = @io.size

      # @param buffer [String] reused, so that a tick allocates no copy of every slot
      # @return [String] exactly that many bytes
      # @raise [TooShort]
      def read(offset, length, buffer = "".b)
        @io.pread(length, offset, buffer)
        raise TooShort if buffer.bytesize < length
        @redo.empty? ? buffer : overlay(buffer, offset)
      rescue EOFError
        raise TooShort
      end

      # @return [Integer]
      def u64(offset) = read(offset, 8).unpack1("Q<")

      # Lays a log over everything read from now on.
      # @param pairs [Array<Integer>] offset, value, offset, value ...
      # @return [void]
      def redo!(pairs)
        @redo = pairs.each_slice(2).to_h
      end

      private

      def overlay(buffer, offset)
        buffer.force_encoding(Encoding::BINARY)
        @redo.each do |at, value|
          inside = at - offset
          buffer[inside, 8] = [value].pack("Q<") if inside >= 0 && inside + 8 <= buffer.bytesize
        end
        buffer
      end
    end
  end
end
