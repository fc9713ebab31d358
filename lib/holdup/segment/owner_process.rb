# frozen_string_literal: true

module Holdup
  module Segment
    # Whether a process still lives. A pid alone does not say so: the system reuses it. With the time it was
    # started (field 22 of /proc/<pid>/stat) it identifies one process for good.
    class OwnerProcess
      # @param proc [String] where the process table is
      def initialize(proc: "/proc")
        @proc = proc
        @listed = File.readable?(File.join(proc, "self", "stat"))
      end

      # @return [Integer] which process table we see; 0 when unknown
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

      # @return [Integer, nil] clock ticks after boot; nil when there is no such process (a zombie is none)
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
