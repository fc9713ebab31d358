# frozen_string_literal: true

module Holdup
  class Collector
    # What carrying costs the host: told with the samples of the container, because it is no measured process.
    # In a process of its own that is all of it; in a thread of an application, as in development, only the
    # thread's CPU can be told apart.
    class CollectorUsage
      KIB = 1024
      RSS = /^VmRSS:\s+(\d+) kB/

      # @param status [String] where the system tells the memory of this process
      def initialize(status: "/proc/self/status")
        @status = status
      end

      # @return [Hash{Symbol => Integer}] collector_cpu_ns since it started, collector_rss_bytes; without what
      #   is unknown
      def call
        alone? ? {collector_cpu_ns: cpu_ns(Process::CLOCK_PROCESS_CPUTIME_ID),
                  collector_rss_bytes: rss_bytes}.compact : {collector_cpu_ns: cpu_ns(Process::CLOCK_THREAD_CPUTIME_ID)}
      end

      private

      def alone? = Thread.current.equal?(Thread.main)

      def cpu_ns(clock)
        Process.clock_gettime(clock, :nanosecond)
      end

      def rss_bytes
        kib = File.binread(@status)[RSS, 1]
        kib && kib.to_i * KIB
      rescue SystemCallError
        nil
      end
    end
  end
end
