# frozen_string_literal: true

module Holdup
  module Analysis
    # Means of the values between two quantiles ("p90-99"): how the slow tenth differs from the typical one.
    # They come from a histogram, so a value counts as the geometric middle of its bucket (at most 2.2 % off),
    # and each histogram is sliced by its own values: the "p90-99" of stalled is of the units that stalled
    # most, not of the slowest ones.
    module QuantileBands
      BANDS = {"p0-10" => [0.0, 0.1], "p50-60" => [0.5, 0.6], "p90-99" => [0.9, 0.99], "p99-99.9" => [0.99, 0.999],
               "p99.9-100" => [0.999, 1.0]}.freeze

      module_function

      # @param histogram [Holdup::Histogram]
      # @return [Float, nil] ns; nil when no value lies between the two
      def mean(histogram, from, to)
        first = (from * histogram.count).floor
        last = (to * histogram.count).floor
        return if last <= first
        between(steps(histogram), first, last).fdiv(last - first)
      end

      # @return [Integer] how many values a band holds
      def size(histogram, from, to)
        (to * histogram.count).floor - (from * histogram.count).floor
      end

      # @return [Float] sum of the values with ranks first...last
      def between(steps, first, last)
        below = 0
        steps.sum do |middle, count|
          taken = [below + count, last].min - [below, first].max
          below += count
          taken.positive? ? taken * middle : 0
        end
      end

      # @return [Array<(Float, Integer)>] value and count of each occupied bucket, ascending
      def steps(histogram)
        lower = [[middle(histogram, 0, Histogram::Buckets::FLOOR_NS), histogram.zero]]
        lower + histogram.counts.each_with_index.map do |count, i|
          slot = histogram.offset + i
          [middle(histogram, Histogram::Buckets.first(slot), Histogram::Buckets.last(slot)), count]
        end
      end

      def middle(histogram, low, high)
        Math.sqrt(low.clamp(histogram.min, histogram.max) * high.clamp(histogram.min, histogram.max))
      end
      private_class_method :between, :steps, :middle
    end
  end
end
