# frozen_string_literal: true

module Holdup
  module Lab
    # Exact percentiles of a list that is small enough to keep, as a load test's is.
    module Percentile
      # Nearest rank: always a value that occurred.
      # @param sorted [Array<Comparable>] in ascending order
      # @param quantile [Float] 0.0..1.0
      # @return [Comparable, nil] nil when the list is empty
      def self.of(sorted, quantile)
        sorted[[(quantile * sorted.size).ceil - 1, 0].max]
      end
    end
  end
end
