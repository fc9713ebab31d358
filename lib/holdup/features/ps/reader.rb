# frozen_string_literal: true

module Holdup
  module Ps
    # Reads which requests and jobs are open in the processes of a folder: nothing is asked of the processes,
    # and no store is needed.
    class Reader
      # States of a process that a signal or a debugger has stopped, in /proc/<pid>/stat.
      STOPPED = %w[T t].freeze

      # @param dir [String] folder of the segments
      # @param proc [String] where /proc is
      def initialize(dir, clock:, proc: "/proc")
        @segments = Top::SegmentsReader.new(dir, clock:)
        @clock = clock
        @proc = proc
      end

      # @return [String, nil] why a segment or the folder can't be read, in the last look
      def trouble = @segments.trouble

      # @return [OpenWork] of the processes that measure now
      def look
        now_ns = @clock.realtime_ns # before, so that what takes long to read is not older for it
        processes = @segments.read { |entry, reader| process(entry, reader) }
        OpenWork.new(processes, now_ns)
      end

      private

      def process(entry, reader)
        header = reader.header
        OpenProcess.of(header, reader.profile || {}, units: reader.open_units, gvl: reader.open_state,
          stopped: entry.here?(header) && stopped?(entry.pid))
      end

      def stopped?(pid)
        stat = File.binread(File.join(@proc, pid.to_s, "stat"))
        STOPPED.include?(stat.rpartition(")").last.split.first)
      rescue SystemCallError
        false
      end
    end
  end
end
