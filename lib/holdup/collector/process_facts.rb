# frozen_string_literal: true

require "etc"

module Holdup
  class Collector
    # What the system says about a process, read from outside so that the process itself spends nothing on it.
    # Ask seldom: for PSS (memory that counts shared pages once in all) and USS (what it has alone, and would
    # give back) the kernel walks all pages and keeps the process from changing its memory map meanwhile.
    class ProcessFacts
      KIB = 1024
      NS = 1_000_000_000
      # How long a thread of it waited for a CPU: the second number.
      RUN_DELAY = /\A\d+ (\d+)/

      # @param proc [String] where the process table is
      # @param ticks_per_s [Integer] unit of CPU times in /proc
      def initialize(proc: "/proc", ticks_per_s: Etc.sysconf(Etc::SC_CLK_TCK))
        @proc = proc
        @ticks_per_s = ticks_per_s
      end

      # @return [Hash{Symbol => Integer}] rss_bytes, pss_bytes, uss_bytes, cpu_ns, run_delay_ns (of the
      #   threads that live now: it falls when one ends); without those that the system does not say
      def call(pid)
        times = {cpu_ns: cpu_ns(pid), run_delay_ns: run_delay_ns(pid)}
        {rss_bytes: rss_bytes(pid), **memory(pid), **times}.compact
      end

      # @return [Integer, nil] its resident memory alone, which costs the process nothing
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

      # @return [Integer, nil] sum of all lines like that
      def bytes(text, pattern)
        found = text.to_s.scan(pattern)
        found.sum { |digits,| digits.to_i } * KIB if found.any?
      end

      def cpu_ns(pid)
        fields = read(pid, "stat")&.rpartition(")")&.last&.split
        fields && (fields[11].to_i + fields[12].to_i) * NS / @ticks_per_s
      end

      # The file of the process is of its first thread only.
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
