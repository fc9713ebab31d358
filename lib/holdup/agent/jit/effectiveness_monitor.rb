# frozen_string_literal: true

module Holdup
  module Jit
    # Whether the JIT of this process does anything, as last told. Looked at again each minute, and at once
    # when Ruby says that a TracePoint has thrown all code away: one that comes late spoils as much as an
    # early one.
    class EffectivenessMonitor
      EVERY_NS = 60_000_000_000

      # @return [Boolean, nil]
      attr_reader :effective

      # @param effectiveness [#call] takes a State, gives true, false, or nil when it can't tell
      # @param guard [Guard]
      # @param clock [#monotonic_ns]
      def initialize(effectiveness:, guard:, clock:)
        @effectiveness = effectiveness
        @guard = guard
        @clock = clock
      end

      # @param state [Snapshot] as it is now
      # @return [Boolean] whether it was judged, which compiles the exercise
      def see(state)
        return false unless state.enabled? && due?(state)
        @seen_ns = @clock.monotonic_ns
        @thrown_away = thrown_away(state)
        told = @guard.call(:jit) { @effectiveness.call(state) }
        @effective = told unless told.nil?
        true
      end

      # In a process that was just forked.
      # @return [void]
      def born
        @seen_ns = @effective = nil
      end

      private

      def due?(state)
        @seen_ns.nil? || thrown_away(state) > @thrown_away || @clock.monotonic_ns - @seen_ns >= EVERY_NS
      end

      def thrown_away(state)
        state.invalidations.to_h.fetch(:everything, 0)
      end
    end
  end
end
