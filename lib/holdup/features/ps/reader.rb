# frozen_string_literal: true

module Holdup
  module Ps
    # Reads which requests and jobs are open in the processes of a folder: nothing is asked of the processes,
    # and no store is needed.
    class Reader
      # States of a process that a signal or a debugger has stopped, in /proc/<pid>/stat.
      STOPPED = %w[T t].freeze

      # @return [String, nil] why a segment or the folder can't be read, in the last look
      attr_reader :trouble

      # @param dir [String] folder of the segments
      # @param proc [String] where /proc is
      def initialize(dir, clock:, proc: "/proc")
        @directory = Segment::Directory.new(dir)
        @clock = clock
        @proc = proc
      end

      # @return [OpenWork] of the processes that measure now
      def look
        @trouble = nil
        now_ns = @clock.realtime_ns # before, so that what takes long to read is not older for it
        OpenWork.new(entries.filter_map { |entry| process(entry, now_ns) }, now_ns)
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

      def process(entry, now_ns)
        entry.read do |reader|
          header = reader.header
          next if header.closed? || !entry.running?(header, now_ns)
          OpenProcess.of(header, reader.profile || {}, units: reader.open_units, gvl: reader.open_state,
            stopped: entry.here?(header) && stopped?(entry.pid))
        end
      rescue Errno::ENOENT # the collector has just removed it
        nil
      rescue Error, SystemCallError => error
        @trouble = error.message
        nil
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
