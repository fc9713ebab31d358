# frozen_string_literal: true

module Holdup
  module Sizing
    # What was measured in the closed part of a recording, from its single units.
    class SelfTest::ClosedFigures
      NS = 1_000_000_000

      def initialize(recording, load, current)
        @all = recording.measured
        @between = recording.demand.between
        @levels = load.levels
        @current = current
        @times = UnitTimes.new(@levels.flat_map(&:profiles),
          queued: !@all.queued_ns.nil? && recording.kind != :job)
      end

      def call
        SelfTest::MeasuredFigures.new(queued_ns: @times.queued_ns, stalled_ns: @times.stalled_ns, handoff_ns:,
          response_ns: @times.response_ns, p95_ns: @times.response(0.95), utilisation:)
      end

      private

      # Only windows have it: its share of all stall.
      def handoff_ns
        return unless @all.handoff_ns
        @all.stalled_ns.positive? ? @all.handoff_ns * @times.stalled_ns / @all.stalled_ns : 0.0
      end

      def utilisation
        held_ns = @times.running_ns + @between.held_ns
        weight = @levels.sum(0.0, &:weight)
        held_ns * weight / (@levels.sum(&:seconds) * NS * @current.processes)
      end
    end
  end
end
