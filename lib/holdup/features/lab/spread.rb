# frozen_string_literal: true

module Holdup
  module Lab
    # Repeated measurements of one figure. The median is the result; the range shows its reliability.
    Spread = Data.define(:values) do
      # @param values [Enumerable<Numeric>] at least one
      def self.of(values) = new(values: values.sort.freeze)

      def min = values.first

      def max = values.last

      def median
        middle = values.size / 2
        values.size.odd? ? values[middle] : (values[middle - 1] + values[middle]) / 2.0
      end

      # @return [Spread] compared round by round, so that a disturbance of a whole round cancels
      def self.paired(ones, others)
        of(ones.zip(others).map { |one, other| yield one, other })
      end

      # @param digits [Integer] after the point
      # @return [String] "96 (95..98)"
      def to_s(digits = 0)
        format("%.#{digits}f (%.#{digits}f..%.#{digits}f)", median, min, max)
      end
    end
  end
end
