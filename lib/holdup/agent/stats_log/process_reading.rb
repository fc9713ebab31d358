# frozen_string_literal: true

require_relative "../../model/histogram"
require_relative "../../segment/layout"
require_relative "../../segment/reader"

module Holdup
  class StatsLog
    # - `header`: Segment::Header; `setting`: Setting; `profile`: Hash; `totals`: Totals
    # - `gauges`: {Symbol => Integer, nil}, those of the segment and those it has no place for
    # - `rss_bytes`: nil where the system has no /proc; `at_ns`: since 1970; `monotonic_ns`
    ProcessReading = Data.define(
      :header, :setting, :profile, :totals, :gauges, :rss_bytes, :at_ns, :monotonic_ns
    ) do
      # @raise [SegmentError] when the segment has been closed
      def self.take(source, gauges:, clock:, status: "/proc/self/status")
        reader = source.reader
        new(
          header: reader.header,
          setting: reader.setting,
          profile: reader.profile,
          totals: ProcessTotals.of(reader),
          gauges: gauges.merge(reader.header.gauges.compact),
          rss_bytes: rss(status),
          at_ns: clock.realtime_ns,
          monotonic_ns: clock.monotonic_ns
        )
      end

      # @return [Integer, nil] bytes; nil where the system has no /proc
      def self.rss(status = "/proc/self/status")
        kib = File.binread(status)[/^VmRSS:\s+(\d+) kB/, 1] if File.readable?(status)
        kib && kib.to_i * 1024
      end

      def worker
        header.worker_index unless header.worker_index.negative?
      end
    end

    # All units of this process since it started, as one distribution. A nested unit counts as a unit, but its
    # time is contained twice, so it is subtracted from the sums.
    #
    # - `units`, `errors`: how many; `sums`: {Symbol => Integer} nanoseconds of wall, running, stalled, idle
    # - `histograms`: {Symbol => Histogram} of wall, stalled, queued
    ProcessTotals = Data.define(:units, :errors, :sums, :histograms) do
      def self.of(reader)
        slots = slots(reader)
        nested = slots.find { |slot| slot.series.kind == :nested }
        slots = slots.select { |slot| ProcessTotals::KINDS.include?(slot.series.kind) }
        sums = ProcessTotals::PARTS.to_h { |name| [name, sum(slots, name) - sum([nested].compact, name)] }
        histograms = ProcessTotals::DISTRIBUTIONS.to_h { |name| [name, histogram(slots, name)] }
        new(units: slots.sum(&:count), errors: slots.sum(&:errors), sums:, histograms:)
      end

      def self.none
        sums = ProcessTotals::PARTS.to_h { |name| [name, 0] }
        histograms = ProcessTotals::DISTRIBUTIONS.to_h { |name| [name, Histogram.empty] }
        new(units: 0, errors: 0, sums:, histograms:)
      end

      # Gives the GVL to other threads only every few milliseconds: each time it may take a second to get it
      # back.
      def self.slots(reader)
        count = reader.header.series_count
        at_once = [count / ProcessTotals::TURNS, ProcessTotals::FEWEST].max
        Array.new(count) do |index|
          Thread.pass if index.positive? && (index % at_once).zero?
          reader.slot(index)
        end.compact
      end

      def self.cells(slot, name)
        slot.histograms[Segment::Layout::HISTOGRAMS.index(name)]
      end

      def self.sum(slots, name)
        slots.sum { |slot| cells(slot, name).sum }
      end

      def self.histogram(slots, name)
        Histogram.sum(slots.map { |slot| cells(slot, name).to_histogram })
      end
      private_class_method :slots, :cells, :sum, :histogram

      def -(other)
        with(
          units: units - other.units,
          errors: errors - other.errors,
          sums: sums.merge(other.sums) { |_, now, before| now - before },
          histograms: histograms.merge(other.histograms) { |_, now, before| now - before }
        )
      end

      def share(part)
        sums[part].fdiv(sums[:wall]) if sums[:wall].positive?
      end

      def quantile(name, q) = histograms[name].quantile(q)
    end

    # A reading passes the GVL on at most TURNS times, after at least so many slots.
    ProcessTotals::TURNS = 8
    ProcessTotals::FEWEST = 128
    ProcessTotals::KINDS = %i[request job overflow].freeze
    ProcessTotals::PARTS = %i[wall running stalled idle].freeze
    ProcessTotals::DISTRIBUTIONS = %i[wall stalled queued].freeze

    # This process's segment for a Segment::Reader, read from memory: no read releases the GVL and then waits
    # for it. Nothing writes to it meanwhile.
    class OwnSegment
      def initialize(probe)
        @probe = probe
      end

      # @raise [SegmentError] when there is none
      def reader
        Segment::Reader.new(self, path: "the segment of process #{Process.pid}")
      end

      def header
        reader.header if @probe.read_segment(0, Segment::Layout::HEADER_BYTES)
      end

      # @raise [EOFError] beyond the end
      def pread(length, offset, buffer = +"")
        buffer.replace(@probe.read_segment(offset, length) || raise(EOFError))
      end

      def size = nil
    end
  end
end
