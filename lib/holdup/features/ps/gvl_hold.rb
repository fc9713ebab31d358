# frozen_string_literal: true

module Holdup
  module Ps
    # Who holds the GVL of a process.
    #
    # - `unit`: Segment::OpenUnit, nil for a thread outside of requests and jobs; `name`: of either, nil if
    #   unknown; `seen`: SeenState
    GvlHold = Data.define(:process, :unit, :name, :seen) do
      # @return [GvlHold, nil] nil if no thread is known to hold it
      def self.of(process, now_ns)
        return unless process.holder?
        gvl = process.gvl
        unit = process.holding_unit
        seen = SeenState.new(since_ns: gvl.held_since_ns, seen_ns: gvl.seen_ns, now_ns:)
        new(process:, unit:, name: unit ? unit.name : gvl.holder_name, seen:)
      end

      def place = unit&.place

      # @return [Boolean] whether it has not been released for so long that the process hangs
      def long? = seen.lasted_ns.to_i >= self.class::LONG_NS

      # @return [Boolean] whether a reader has to know of it
      def notable? = long? || process.waiting.any?
    end

    GvlHold::LONG_NS = 10_000_000_000
  end
end
