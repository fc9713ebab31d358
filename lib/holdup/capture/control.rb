# frozen_string_literal: true

require_relative "../segment/layout"
require_relative "request"
require_relative "rule"

module Holdup
  module Capture
    # Inside the application: looks with each tick whether somebody asks for a capture, begins it, names its threads, ends
    # it. The file lies beside the segment, in memory; who asked takes it away.
    class Control
      SUFFIX = ".events"
      # Where there is little memory, rather fewer events than no capture.
      EVENTS = [200_000, 50_000, 10_000].freeze
      # Between two captures of a process.
      PAUSE_NS = 5_000_000_000

      # @param segment [String] path of the process's segment
      # @return [String] path of the capture beside it
      def self.path(segment) = segment.delete_suffix(".segment") + SUFFIX

      # @param probe [Holdup::Probe]
      # @param segment [String] path of this process's segment
      # @param clock [Clock]
      # @param log [Log]
      def initialize(probe:, segment:, clock:, log:)
        @probe = probe
        @path = self.class.path(segment)
        @clock = clock
        @log = log
      end

      # @return [void]
      def tick
        @until_ns ? go_on : begin_if_asked
      end

      # The process measures no more.
      # @return [void]
      def close = finish

      private

      def begin_if_asked
        request = asked
        return if request.nil? || request == @served
        @served = request
        start(request) if request.fresh?(@clock.realtime_ns / 1_000_000) && rested?
      end

      def asked
        bytes = @probe.read_segment(Segment::Layout::CAPTURE_REQUEST, 8)
        Request.decode(bytes.unpack1("Q<")) if bytes
      end

      def rested? = @ended_ns.nil? || @clock.monotonic_ns - @ended_ns >= PAUSE_NS

      def start(request)
        rule = self.rule
        return unless EVENTS.any? { |events| open_ring(events, rule) }
        @until_ns = @clock.monotonic_ns + request.seconds * 1_000_000_000
        name_threads
      end

      def rule
        bytes = @probe.read_segment(Segment::Layout::CAPTURE_RULE, 8)
        Rule.decode(bytes.unpack1("Q<")) if bytes
      end

      def open_ring(events, rule)
        @probe.open_capture(@path, events, rule.to_h.fetch(:stall, 0), rule.to_h.fetch(:wall, 0))
      rescue Errno::ENOSPC, Errno::ENOMEM => error
        @log.warn("no room for a capture of #{events} events (#{error.message})")
        nil
      end

      def go_on
        name_threads
        finish if @probe.caught? || @clock.monotonic_ns >= @until_ns
      end

      def finish
        return unless @until_ns
        @until_ns = nil
        @ended_ns = @clock.monotonic_ns
        @probe.close_capture
      end

      def name_threads
        Thread.list.each { |thread| @probe.name_captured(thread, name(thread)) }
      end

      def name(thread) = thread.name || (thread.equal?(Thread.main) ? "main" : "")
    end
  end
end
