# frozen_string_literal: true

module Holdup
  module Lab
    # Exact percentiles of a list that is small enough to keep, as a load test's is.
    module Percentile
      # Those that are kept of each load, by their names.
      KEPT = {0.5 => :p50_ns, 0.95 => :p95_ns, 0.99 => :p99_ns}.freeze

      # Nearest rank: always a value that occurred.
      # @param sorted [Array<Comparable>] in ascending order
      # @param quantile [Float] 0.0..1.0
      # @return [Comparable, nil] nil when the list is empty
      def self.of(sorted, quantile)
        sorted[[(quantile * sorted.size).ceil - 1, 0].max]
      end

      # @param quantile [Float] 0.0..1.0
      # @return [Symbol] the next one above that is kept
      def self.kept(quantile)
        KEPT.find { |at, _| quantile <= at }&.last || KEPT.values.last
      end
    end
  end
end
