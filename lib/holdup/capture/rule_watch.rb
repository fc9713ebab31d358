# frozen_string_literal: true

require_relative "series_thresholds"

module Holdup
  module Capture
    # Keeps the ring of a process going all the time where `config.capture` says so, until a unit is caught;
    # then leaves the file to the collector, and begins anew after a pause, once that has taken it. The pause
    # is long: an incident has hundreds of slow units, and nobody reads hundreds of captures.
    class RuleWatch
      ARMED = ".armed"
      ENDED = ".ended"

      # @param rule [Rule]
      # @param ring [Ring]
      # @param limits [SeriesThresholds]
      # @param base [String] path of the process's segment, without its ending
      # @param clock [Clock]
      # @param facts [Hash{String => String}] about the application
      def initialize(rule:, ring:, limits:, base:, clock:, facts: {})
        @rule = rule
        @ring = ring
        @limits = limits
        @path = base + ARMED
        @ended = base + ENDED
        @clock = clock
        @facts = {"trigger" => "rule", "rule" => rule.to_s, "every_s" => rule.every_s, **facts}
      end

      # @return [void]
      def tick
        return arm if !@armed && rested?
        return unless @armed
        @ring.name_threads
        @ring.complete? ? leave : @limits.tick
      end

      # @return [String]
      def state
        return "waits" if @armed
        @armed.nil? ? "rests" : "no room"
      end

      # Another capture takes the ring. What has been caught is left, the rest is forgotten.
      # @return [void]
      def rest
        return unless @armed
        @ring.caught? ? leave : forget
      end

      private

      def rested?
        @next_ns.nil? || (@clock.monotonic_ns >= @next_ns && !File.exist?(@ended))
      end

      # Also where there is no room: that is tried again after the pause.
      def arm
        @next_ns = @clock.monotonic_ns + @rule.every_s * 1_000_000_000
        @limits.begin_anew
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
        File.unlink(@path)
      end

      def finish
        @armed = nil
        @next_ns = @clock.monotonic_ns + @rule.every_s * 1_000_000_000
        @ring.close
      end
    end
  end
end
