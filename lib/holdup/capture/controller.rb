# frozen_string_literal: true

require_relative "../segment/layout"
require_relative "request"
require_relative "ring"
require_relative "stack_sampling"
require_relative "rule_watch"

module Holdup
  module Capture
    # Runs inside the application: looks at each tick for a requested capture, begins and ends it; in between
    # the process's own rule waits for a slow unit. The file is next to the segment, in memory; the client
    # that asked takes it away, or the collector.
    class Controller
      SUFFIX = ".events"
      # No client waits for it, so the collector takes it.
      LEFT = ".left"
      PAUSE_NS = 5_000_000_000

      def self.path(segment) = base(segment) + SUFFIX

      def self.base(segment)
        segment.delete_suffix(".segment")
      end

      # @param in_memory [Boolean] whether the file would be in memory; else the rule is not applied
      # @param sampling [StackSampling, nil] for requested captures; nil: only the probe
      def initialize(probe:, segment:, clock:, log:, rule: nil, in_memory: true, facts: {}, sampling: nil)
        @probe = probe
        @path = self.class.path(segment)
        @clock = clock
        @facts = facts
        @sampling = sampling
        @ring = Ring.new(probe:, log:)
        @rule = rule
        return unless rule && in_memory
        limits = SeriesThresholds.new(probe:, rule:)
        @watch = RuleWatch.new(rule:, ring: @ring, limits:, base: self.class.base(segment), clock:, facts:)
      end

      def tick
        return go_on if @until_ns
        begin_if_asked
        @watch&.tick unless @until_ns
      end

      def profile
        @rule ? {"capture.rule" => @rule.to_s, "capture.state" => @watch&.state || "no memory"} : {}
      end

      def before_fork = @sampling&.give_way

      def close
        finish if @until_ns
        @watch&.rest
      end

      private

      def begin_if_asked
        request = requested_capture
        return if request.nil? || request == @served
        @served = request
        start(request) if request.fresh?(@clock.realtime_ns / 1_000_000) && rested?
      end

      def requested_capture
        Request.decode(number_at(Segment::Layout::CAPTURE_REQUEST))
      end

      def requested_trigger
        Trigger.decode(number_at(Segment::Layout::CAPTURE_RULE))
      end

      def number_at(offset)
        @probe.read_segment(offset, 8)&.unpack1("Q<").to_i
      end

      def rested?
        @ended_ns.nil? || @clock.monotonic_ns - @ended_ns >= PAUSE_NS
      end

      def start(request)
        @watch&.rest
        trigger = requested_trigger
        limits = trigger.to_h
        opened = @ring.open(@path, facts: facts(request, trigger),
          limits: [limits.fetch(:stall, 0), limits.fetch(:wall, 0)])
        return unless opened
        @attended = request.attended
        @until_ns = @clock.monotonic_ns + request.seconds * 1_000_000_000
        @sampling&.begin(@ring) if trigger.nil? && request.seconds <= StackSampling::LONGEST_S
      end

      def facts(request, trigger)
        return {"trigger" => "dashboard", **@facts} unless request.attended
        return {"trigger" => "asked", **@facts} unless trigger
        {"trigger" => "until", "rule" => trigger.to_s, **@facts}
      end

      def go_on
        @ring.name_threads
        (@ring.complete? || @clock.monotonic_ns >= @until_ns) ? finish : @sampling&.tick
      end

      def finish
        @until_ns = nil
        @ended_ns = @clock.monotonic_ns
        @sampling&.finish
        @ring.close
        File.rename(@path, @path.delete_suffix(SUFFIX) + LEFT) unless @attended
      end
    end
  end
end
