# frozen_string_literal: true

require "etc"

module Holdup
  module Lab
    # A server's processes, as /proc shows them.
    class ProcessTree
      TICKS = Etc.sysconf(Etc::SC_CLK_TCK)
      # Fields of /proc/<pid>/stat behind the name.
      PARENT = 1
      USER = 11
      SYSTEM = 12

      # @param pid [Integer] the first of them
      def initialize(pid)
        @pid = pid
      end

      # @yieldparam command [String] of a process; whether it counts. Without a block all do
      # @return [Float] seconds that its processes have run so far
      def cpu_seconds
        all = processes
        members(all, @pid).select { |pid| !block_given? || yield(command(pid)) }.sum { |pid|
          (all[pid][USER].to_i + all[pid][SYSTEM].to_i).fdiv(TICKS)
        }
      end

      private

      def members(all, pid)
        children = all.select { |_, fields| fields[PARENT].to_i == pid }.keys
        [(pid if all.key?(pid)), *children.flat_map { |child| members(all, child) }].compact
      end

      def processes
        Dir.children("/proc").grep(/\A\d+\z/).to_h { |pid| [pid.to_i, fields(pid)] }.compact
      end

      def fields(pid)
        File.read("/proc/#{pid}/stat").rpartition(")").last.split
      rescue SystemCallError
        nil
      end

      def command(pid)
        File.read("/proc/#{pid}/cmdline").tr("\0", " ")
      rescue SystemCallError
        ""
      end
    end
  end
end
