# frozen_string_literal: true

require_relative "../segment/slot"
require_relative "../segment/layout"

module Holdup
  module Capture
    # Tells the probe what units of each series may stall and take, where a rule says it by name or by
    # percentile: read off this process's own segment, a few series with each tick, so that no tick takes
    # long.
    class SeriesThresholds
      AT_ONCE = 16
      # Fewer units have no 99th percentile.
      LEAST_UNITS = 100
      UNITS = [1, 2].freeze # kinds in Segment::Layout::KINDS
      HISTOGRAMS = {stall: :stalled, wall: :wall}.freeze

      # @param probe [Holdup::Probe]
      # @param rule [Rule]
      def initialize(probe:, rule:)
        @probe = probe
        @rule = rule
        @wanted = HISTOGRAMS.select { |what, _| rule.public_send(what)&.relative? }
        @next = 0
      end

      # @return [Array(Integer, Integer)] ns that any unit may stall, and take; 0 where its series says it
      def of_all
        @rule.only ? [0, 0] : @rule.limits
      end

      # A new capture knows none of them.
      # @return [void]
      def begin_anew
        @next = 0
      end

      # The next few series.
      # @return [void]
      def tick
        return unless @rule.by_series?
        count, offset = @probe.read_segment(Segment::Layout::SERIES_COUNT, 24)&.unpack("Q<x8Q<")
        count.to_i.clamp(0, AT_ONCE).times { limit((@next + _1) % count, offset) }
        @next = (@next + AT_ONCE) % count if count.to_i > AT_ONCE
      end

      private

      def limit(series, offset)
        at = offset + series * Segment::Layout::SERIES_BYTES
        kind, bytes = @probe.read_segment(at, 8)&.unpack("L<2")
        return unless UNITS.include?(kind) && @rule.for?(name(at, bytes))
        @probe.limit_capture(series, *@rule.limits(p99s(at)))
      end

      def name(at, bytes)
        @probe.read_segment(at + Segment::Layout::SERIES_TEXTS[:name].first, bytes).force_encoding(Encoding::UTF_8)
      end

      def p99s(at)
        @wanted.transform_values { |histogram| p99(at + Segment::Layout.histogram_offset(Segment::Layout::HISTOGRAMS.index(histogram))) }
      end

      def p99(at)
        histogram = Segment::HistogramCells.parse(@probe.read_segment(at, Segment::Layout::HISTOGRAM_BYTES),
          0)&.to_histogram
        histogram.quantile(0.99) if histogram && histogram.count >= LEAST_UNITS
      end
    end
  end
end
