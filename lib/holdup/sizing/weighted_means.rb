# frozen_string_literal: true

module Holdup
  module Sizing
    # Figures of single units that were kept, each of which stands for several that were measured.
    module WeightedMeans
      module_function

      # @param values [Array<(Numeric, Float)>] of a unit, and how many it stands for
      # @param share [Float] 0.0..1.0
      # @return [Numeric, nil] the smallest value that so many of all units don't exceed; nil without any unit
      def quantile(values, share)
        values = values.sort
        left = share * values.sum(&:last)
        values.find { |_, weight| (left -= weight) <= 0 }&.first
      end

      # @param values [Array<(Numeric, Float)>]
      # @return [Float]
      def mean(values)
        values.sum { |value, weight| value * weight } / values.sum(&:last)
      end
    end
  end
end
