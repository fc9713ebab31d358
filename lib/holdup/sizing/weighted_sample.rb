# frozen_string_literal: true

module Holdup
  module Sizing
    # Recorded single units, each with its weight: the number of measured units that it stands for.
    class WeightedSample
      # @param values [Array<(Numeric, Float)>] of a unit, and its weight
      # @return [Numeric, nil] smallest value that this share of all units does not exceed; nil without units
      def self.quantile(values, share)
        values = values.sort_by(&:first)
        left = share * values.sum(&:last)
        values.find { |_, weight| (left -= weight) <= 0 }&.first
      end

      def self.mean(values)
        values.sum { |value, weight| value * weight } / values.sum(&:last)
      end

      def initialize(weighted)
        @members = weighted.map(&:first)
        sum = 0.0
        @bounds = weighted.map { |_, weight| sum += weight }
      end

      def draw(random)
        chosen = random.rand * @bounds.last
        @members[@bounds.bsearch_index { |bound| bound > chosen } || -1]
      end
    end
  end
end
