# frozen_string_literal: true

require_relative "process_totals"

module Holdup
  class StatsLog
    # All that a line is made of, at one moment.
    #
    # - `header`: Segment::Header; `setting`: Setting; `profile`: Hash; `totals`: Totals
    # - `gauges`: {Symbol => Integer, nil}, the segment's and those it has no place for
    # - `rss_bytes`: nil where the system does not tell; `at_ns`: since 1970; `monotonic_ns`
    ProcessReading = Data.define(:header, :setting, :profile, :totals, :gauges, :rss_bytes, :at_ns,
      :monotonic_ns) do
      # @param source [#reader]
      # @param gauges [Hash{Symbol => Integer, nil}]
      # @param clock [#realtime_ns, #monotonic_ns]
      # @return [ProcessReading]
      # @raise [SegmentError] when there is no segment any more
      def self.take(source, gauges:, clock:, status: "/proc/self/status")
        reader = source.reader
        new(header: reader.header, setting: reader.setting, profile: reader.profile, totals: ProcessTotals.of(reader),
          gauges: gauges.merge(reader.header.gauges.compact), rss_bytes: rss(status), at_ns: clock.realtime_ns, monotonic_ns: clock.monotonic_ns)
      end

      def self.rss(status)
        kib = File.binread(status)[/^VmRSS:\s+(\d+) kB/, 1] if File.readable?(status)
        kib && kib.to_i * 1024
      end
      private_class_method :rss

      # @return [Integer, nil] the worker's index
      def worker
        header.worker_index unless header.worker_index.negative?
      end
    end
  end
end
