# frozen_string_literal: true

module Holdup
  module Sizing
    class ConcurrencyCost
    end

    # Which units are compared with each other: those of one series and one block of time, so that neither
    # another mix nor another hour (a nightly batch under the same name, a machine that computed slower) looks
    # like growth. Blocks count as independent of each other.
    class ConcurrencyCost::UnitGroups
      NS = 1_000_000_000
      # So many blocks where there are units enough for them, of ten minutes where the recording is longer
      # than five hours.
      BLOCKS = 30
      BLOCK_S = (10.0..600.0)
      UNITS = 50

      # @return [Array<Integer>] the block of each unit, from 0
      attr_reader :blocks

      # @param profiles [Array<UnitSample>]
      def initialize(profiles)
        starts = profiles.map(&:start_ns)
        first_ns, last_ns = starts.minmax
        length_ns = block_ns(last_ns.to_i - first_ns.to_i, profiles.size)
        @blocks = numbered(starts.map { |start_ns| ((start_ns - first_ns) / length_ns).floor })
        @groups = numbered(profiles.map(&:series).zip(@blocks))
        @weights = profiles.map(&:weight)
        @totals = sums(@groups) { 1.0 }
      end

      # @param values [Array<Float>] of each unit
      # @return [Array<Float>] each without the mean of its group
      def centred(values)
        sums = sums(@groups) { |index| values[index] }
        Array.new(values.size) { |index| values[index] - sums[@groups[index]] / @totals[@groups[index]] }
      end

      # @yieldparam index [Integer] of a unit
      # @return [Array<Float>] the sum of each block
      def by_block(&) = sums(@blocks, &)

      private

      def block_ns(span_ns, units)
        (span_ns.fdiv(NS) / (units / UNITS).clamp(1, BLOCKS)).clamp(BLOCK_S) * NS
      end

      def numbered(values)
        numbers = {}
        values.map { |value| numbers[value] ||= numbers.size }
      end

      def sums(numbers)
        sums = Array.new(numbers.max.to_i + 1, 0.0)
        numbers.each_with_index { |number, index| sums[number] += @weights[index] * yield(index) }
        sums
      end
    end
  end
end
