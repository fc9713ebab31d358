# frozen_string_literal: true

module Holdup
  class Collector
    # Adds growths of one histogram up, over processes and ticks.
    class DeltaSum
      def initialize
        @count = @sum = @zero = 0
        @min = @max = nil
        @slots = nil # most stay empty
      end

      # @param growth [HistogramDelta]
      # @return [void]
      def add(growth)
        @sum += growth.sum
        return if growth.count.zero?
        @count += growth.count
        @zero += growth.zero
        @min = growth.min if @min.nil? || growth.min < @min
        @max = growth.max if @max.nil? || growth.max > @max
        spread(growth.slots, growth.counts)
      end

      # Takes off a sum that is counted elsewhere too; values stay.
      # @param growth [HistogramDelta]
      # @return [void]
      def subtract(growth)
        @sum -= growth.sum
      end

      # @return [Histogram]
      def to_histogram
        Histogram.new(count: @count, sum: @sum, min: @min, max: @max, zero: @zero, offset: 0,
          counts: @slots || [])
      end

      private

      # A loop of ten thousand a tick: with an index it takes a fifth of what a block takes.
      def spread(slots, counts)
        all = @slots ||= Array.new(Histogram::Buckets::SLOTS, 0)
        index = 0
        while index < slots.size
          all[slots[index]] += counts[index]
          index += 1
        end
      end
    end
  end
end
