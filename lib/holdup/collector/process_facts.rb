# frozen_string_literal: true

require "etc"

module Holdup
  class Collector
    # What the system knows about a process, read from outside at no cost to it, except PSS (its share of
    # memory, shared pages divided) and USS (memory that only it has): for these the kernel walks all pages
    # and blocks changes of its memory map meanwhile, so read them seldom.
    class ProcessFacts
      KIB = 1024
      NS = 1_000_000_000
      # How long a thread waited for a CPU: the second number.
      RUN_DELAY = /\A\d+ (\d+)/

      # @param ticks_per_s [Integer] unit of CPU times in /proc
      def initialize(proc: "/proc", ticks_per_s: Etc.sysconf(Etc::SC_CLK_TCK))
        @proc = proc
        @ticks_per_s = ticks_per_s
      end

      # @return [Hash{Symbol => Integer}] rss_bytes, pss_bytes, uss_bytes, cpu_ns, run_delay_ns (of its living
      #   threads: falls when one ends); without unknown ones
      def call(pid)
        times = {cpu_ns: cpu_ns(pid), run_delay_ns: run_delay_ns(pid)}
        {rss_bytes: rss_bytes(pid), **memory(pid), **times}.compact
      end

      # Resident memory alone, at no cost to the process.
      def rss_bytes(pid)
        bytes(read(pid, "status"), /^VmRSS:\s+(\d+) kB/)
      end

      private

      def memory(pid)
        rollup = read(pid, "smaps_rollup")
        {
          pss_bytes: bytes(rollup, /^Pss:\s+(\d+) kB/),
          uss_bytes: bytes(rollup, /^Private_(?:Clean|Dirty|Hugetlb):\s+(\d+) kB/)
        }
      end

      # Sum of all matching lines.
      def bytes(text, pattern)
        found = text.to_s.scan(pattern)
        found.sum { |digits,| digits.to_i } * KIB if found.any?
      end

      def cpu_ns(pid)
        fields = read(pid, "stat")&.rpartition(")")&.last&.split
        fields && (fields[11].to_i + fields[12].to_i) * NS / @ticks_per_s
      end

      # The file of the process covers its first thread only.
      def run_delay_ns(pid)
        threads = Dir.children(File.join(@proc, pid.to_s, "task"))
        delays = threads.filter_map { |thread| read(pid, "task/#{thread}/schedstat")&.slice(RUN_DELAY, 1) }
        delays.sum(&:to_i) if delays.any?
      rescue SystemCallError
        nil
      end

      def read(pid, file)
        File.binread(File.join(@proc, pid.to_s, file)) # has the process's name, which may be any bytes
      rescue SystemCallError
        nil
      end
    end
  end
end
