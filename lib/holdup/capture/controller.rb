# frozen_string_literal: true

require_relative "../segment/layout"
require_relative "rule"
require_relative "stack_sampling"
require_relative "../model/flat_json"

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
        require_relative "rule_watch" # and with it what reads histograms
        limits = SeriesThresholds.new(probe:, rule:)
        warm_up = ProcessWarmUp.new(seconds: rule.warm_up_s, probe:, clock:)
        base = self.class.base(segment)
        @watch = RuleWatch.new(rule:, ring: @ring, limits:, warm_up:, base:, clock:, facts:)
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

    # This process's only ring of events: opens it with as much room as there is, writes its reason into it,
    # names its threads, ends it.
    class Ring
      # Fewer events are better than no capture when there is little memory.
      EVENTS = [200_000, 50_000, 10_000].freeze
      # The value is that of Layout::FACTS, which only readers load.
      FACTS_AT = 2048
      # A holder gives a stack, if stacks are recorded, when other threads have waited longer than this.
      STACKS_OVER_NS = 10_000_000

      def initialize(probe:, log:)
        @probe = probe
        @log = log
        @logged_sizes = {}
      end

      # @param facts [Hash{String => String, Integer}] its reason
      # @param limits [Array(Integer, Integer)] ns that a unit may stall, and take; 0 for any time
      # @param most [Integer] limit of events
      # @return [Boolean] false without enough room, or where nothing is measured
      def open(path, facts:, limits: [0, 0], most: EVENTS.first, stacks: true)
        sizes = [most, *EVENTS.select { |events| events < most }]
        return false unless sizes.any? { |events| try(path, events, limits, stacks) }
        @path = path
        @facts = {}
        add_facts(facts)
        name_threads
        true
      end

      def add_facts(more)
        @facts = @facts.merge(more)
        write_facts(@path, @facts)
      end

      # Threads may start and get their names at any time.
      def name_threads
        Thread.list.each { |thread| @probe.name_captured(thread, name(thread)) }
      end

      def caught? = @probe.caught?

      # Whether a unit was beyond the limits and the units that ran with it have ended and so have names; or
      # ten seconds or half a ring have passed since.
      def complete? = @probe.capture_complete?

      def close = @probe.close_capture

      private

      def try(path, events, limits, stacks)
        @probe.open_capture(path, events, *limits, stacks ? STACKS_OVER_NS : 0)
      rescue Errno::ENOSPC, Errno::ENOMEM => error
        @log.warn("no room for a capture of #{events} events (#{error.message})") unless @logged_sizes[events]
        @logged_sizes[events] = true
        nil
      end

      # An earlier reader finds no facts.
      def write_facts(path, facts)
        text = FlatJson.generate(facts)
        bytes = [text.bytesize].pack("L<") << text.b
        File.open(path, File::WRONLY | File::BINARY) { |file| file.pwrite(bytes, FACTS_AT) }
      rescue Errno::ENOENT
        nil
      end

      def name(thread)
        thread.name || (thread.equal?(Thread.main) ? "main" : "")
      end
    end
  end
end
