# frozen_string_literal: true

require_relative "../segment/layout"
require_relative "../segment/slot"

module Holdup
  module Capture
    # Sets the probe's limits of stall and time for each series, where a rule gives a name or a percentile.
    # Reads a few series of the process's own segment with each tick, so that no tick takes long.
    class SeriesThresholds
      AT_ONCE = 16
      # Fewer units give no 99th percentile.
      LEAST_UNITS = 100
      UNITS = Segment::Layout::KINDS.invert.values_at(:request, :job).freeze
      HISTOGRAMS = {stall: :stalled, wall: :wall}.freeze

      def initialize(probe:, rule:)
        @probe = probe
        @rule = rule
        @wanted = HISTOGRAMS.select { |what, _| rule.public_send(what)&.relative? }
        @next = 0
      end

      # @return [Array(Integer, Integer)] ns that any unit may stall, and take; 0 where its series has the
      #   limit
      def of_all
        @rule.only ? [0, 0] : @rule.limits
      end

      # A new capture has no limits yet.
      def restart
        @next = 0
      end

      # Sets the limits of the next few series.
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
        offset, = Segment::Layout::SERIES_TEXTS[:name]
        @probe.read_segment(at + offset, bytes).force_encoding(Encoding::UTF_8)
      end

      def p99s(at)
        @wanted.transform_values do |name|
          index = Segment::Layout::HISTOGRAMS.index(name)
          p99(at + Segment::Layout.histogram_offset(index))
        end
      end

      def p99(at)
        bytes = @probe.read_segment(at, Segment::Layout::HISTOGRAM_BYTES)
        histogram = Segment::HistogramCells.parse(bytes, 0)&.to_histogram
        histogram.quantile(0.99) if histogram && histogram.count >= LEAST_UNITS
      end
    end

    # Whether a process has served for long enough to be captured by a rule: its first units load code and
    # fill caches, and are slow only once.
    class ProcessWarmUp
      # Counter of units that have ended.
      UNITS = Segment::Layout::COUNTERS_OFFSET + 8 * Segment::Layout::COUNTERS.index(:units)
      private_constant :UNITS

      def initialize(seconds:, probe:, clock:)
        @ns = seconds * 1_000_000_000
        @probe = probe
        @clock = clock
      end

      def over?
        return true if @over || @ns.zero?
        @first_ns ||= @clock.monotonic_ns if served?
        @over = !@first_ns.nil? && @clock.monotonic_ns - @first_ns >= @ns
      end

      private

      def served? = @probe.read_segment(UNITS, 8)&.unpack1("Q<").to_i.positive?
    end

    # Keeps a process's ring running where `config.capture` asks for it, until a unit is caught; then leaves
    # the file to the collector, and begins again after a pause, once the collector has taken it. The pause is
    # long, because an incident has hundreds of slow units, too many captures to read.
    class RuleWatch
      ARMED = ".armed"
      ENDED = ".ended"

      # @param base [String] path of the process's segment without its ending
      # @param warm_up [ProcessWarmUp]
      def initialize(rule:, ring:, limits:, warm_up:, base:, clock:, facts: {})
        @rule = rule
        @warm_up = warm_up
        @ring = ring
        @limits = limits
        @path = base + ARMED
        @ended = base + ENDED
        @clock = clock
        @facts = {"trigger" => "rule", "rule" => rule.to_s, "every_s" => rule.every_s, **facts}
      end

      def tick
        return unless @warm_up.over?
        return arm if !@armed && rested?
        return unless @armed
        @ring.name_threads
        @ring.complete? ? leave : @limits.tick
      end

      def state
        return "warms up" unless @warm_up.over?
        return "waits" if @armed
        @armed.nil? ? "rests" : "no room"
      end

      # Another capture takes the ring. A caught unit's file stays, the rest is dropped.
      def rest
        return unless @armed
        @ring.caught? ? leave : forget
      end

      private

      def rested?
        @next_ns.nil? || (@clock.monotonic_ns >= @next_ns && !File.exist?(@ended))
      end

      # The next try comes after the pause where there is not enough room.
      def arm
        @next_ns = @clock.monotonic_ns + @rule.every_s * 1_000_000_000
        @limits.restart
        @armed = @ring.open(@path, facts: @facts, limits: @limits.of_all, most: @rule.events,
          stacks: @rule.stacks)
        @limits.tick if @armed
      end

      def leave
        finish
        File.rename(@path, @ended)
      end

      def forget
        finish
        @next_ns = nil
        File.unlink(@path) if File.exist?(@path)
      end

      def finish
        @armed = nil
        @next_ns = @clock.monotonic_ns + @rule.every_s * 1_000_000_000
        @ring.close
      end
    end
  end
end
