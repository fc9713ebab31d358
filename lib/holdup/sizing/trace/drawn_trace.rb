# frozen_string_literal: true

module Holdup
  module Sizing
    # A trace of recorded units, most of them drawn several times: all but the arrival of a unit is packed
    # once for all its draws. Replays need only the packed words; TraceUnits are made when something asks.
    class Trace::DrawnTrace < Trace
      # @param patterns [Array<UnitPattern>] of each unit
      # @param arrivals [Array<Integer>] ns, ascending
      def initialize(patterns, arrivals, concurrent_units: NONE)
        @patterns = patterns
        @arrivals = arrivals
        @concurrent_units = concurrent_units
      end

      def units
        @units ||= @patterns.zip(@arrivals).map { |pattern, at_ns| pattern.arriving(at_ns) }.freeze
      end

      def size = @patterns.size

      def bytes
        @bytes ||= @arrivals.zip(@patterns.map(&:words)).flatten.pack(UnitPattern::FORMAT * size).freeze
      end

      def backlog
        @backlog ||= DrawnTrace.new(@patterns, [*0...size], concurrent_units:)
      end

      def first(count)
        DrawnTrace.new(@patterns.first(count), @arrivals.first(count), concurrent_units:)
      end

      def paced(factor)
        return self if factor == 1 || concurrent_units.size.zero?
        DrawnTrace.new(@patterns, @arrivals, concurrent_units: slower(factor))
      end

      private

      def with_dispatch(between)
        DrawnTrace.new(@patterns.map { |pattern| pattern.after(between) }, @arrivals, concurrent_units:)
      end

      # A TraceUnit without its arrival.
      class UnitPattern
        FORMAT = "Q<a#{Trace::UNIT_BYTES - 8}"

        # Packed, without the arrival.
        attr_reader :words

        # @param unit [TraceUnit] that arrives at 0
        def initialize(unit)
          @unit = unit
          @words = unit.words.drop(1).pack("Q<*").freeze
        end

        def arriving(at_ns) = @unit.with(arrival_ns: at_ns)

        # With the work before it, see DispatchCost.
        def after(between)
          return @after if @between == between
          @between = between
          @after = UnitPattern.new(between.before(@unit))
        end
      end
    end
  end
end
