# frozen_string_literal: true

require "etc"

module Holdup
  class Collector
    # What the system says about a process, read from outside so that the process itself spends nothing on it. The PSS
    # (memory that counts shared pages once in all) makes the kernel walk all pages, so nobody should ask often.
    class ProcessFacts
      KIB = 1024
      NS = 1_000_000_000

      # @param proc [String] where the process table is
      # @param ticks_per_s [Integer] unit of CPU times in /proc
      def initialize(proc: "/proc", ticks_per_s: Etc.sysconf(Etc::SC_CLK_TCK))
        @proc = proc
        @ticks_per_s = ticks_per_s
      end

      # @param pid [Integer]
      # @return [Hash{Symbol => Integer}] rss_bytes, pss_bytes, cpu_ns; without those that the system does not tell
      def call(pid)
        {rss_bytes: kib(pid, "status", /^VmRSS:\s+(\d+) kB/), pss_bytes: kib(pid, "smaps_rollup", /^Pss:\s+(\d+) kB/), cpu_ns: cpu_ns(pid)}.compact
      end

      private

      def kib(pid, file, pattern) = read(pid, file)&.slice(pattern, 1)&.then { |digits| digits.to_i * KIB }

      def cpu_ns(pid)
        fields = read(pid, "stat")&.rpartition(")")&.last&.split
        fields && (fields[11].to_i + fields[12].to_i) * NS / @ticks_per_s
      end

      def read(pid, file)
        File.read(File.join(@proc, pid.to_s, file))
      rescue SystemCallError
        nil
      end
    end
  end
end
