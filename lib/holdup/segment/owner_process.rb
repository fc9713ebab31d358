# frozen_string_literal: true

module Holdup
  module Segment
    # Whether a process still lives. The system reuses pids, but a pid with its start time (field 22 of
    # /proc/<pid>/stat) identifies one process.
    class OwnerProcess
      def initialize(proc: "/proc")
        @proc = proc
        @listed = File.readable?(File.join(proc, "self", "stat"))
      end

      # Our process table; 0 when unknown.
      def namespace
        @namespace ||= File.stat(File.join(@proc, "self", "ns", "pid")).ino
      rescue SystemCallError
        0
      end

      # @param start [Integer] clock ticks after boot; 0 when unknown
      def alive?(pid, start)
        return running?(pid) unless @listed && start.positive?
        start_of(pid) == start
      end

      # @return [Integer, nil] clock ticks after boot; nil for a zombie or a missing process
      def start_of(pid)
        fields = File.binread(File.join(@proc, pid.to_s, "stat")).rpartition(")").last.split
        Integer(fields[19]) unless fields[0] == "Z"
      rescue SystemCallError
        nil
      end

      private

      def running?(pid)
        Process.kill(0, pid)
        true
      rescue Errno::EPERM
        true
      rescue Errno::ESRCH, RangeError
        false
      end
    end
  end
end
