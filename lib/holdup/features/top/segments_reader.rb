# frozen_string_literal: true

module Holdup
  module Top
    # Reads the segments of all processes that measure now: nothing is asked of the processes, and no store is
    # needed.
    class SegmentsReader
      # @return [String, nil] why a segment or the folder can't be read, in the last reading
      attr_reader :trouble

      # @param dir [String] folder of the segments
      def initialize(dir, clock:)
        @directory = Segment::Directory.new(dir)
        @clock = clock
      end

      # @yieldparam entry [Segment::DirectoryEntry]
      # @yieldparam reader [Segment::Reader]
      # @return [Array] what the block gives for each process, without nil
      def read(&block)
        @trouble = nil
        entries.filter_map { |entry| read_one(entry, &block) }
      end

      private

      def entries
        @directory.entries.reject(&:lost?)
      rescue Errno::ENOENT # no process has measured yet
        []
      rescue SystemCallError => error
        @trouble = error.message
        []
      end

      def read_one(entry)
        entry.read { |reader| yield entry, reader if measures?(entry, reader.header) }
      rescue Errno::ENOENT # the collector has just removed it
        nil
      rescue Error, SystemCallError => error
        @trouble = error.message
        nil
      end

      def measures?(entry, header)
        !header.closed? && entry.running?(header, @clock.realtime_ns)
      end
    end
  end
end
