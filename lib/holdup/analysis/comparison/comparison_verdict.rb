# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # The one answer: better, worse, both, or no difference that these recordings could show. It looks at
      # few figures, and asks more of each the more they are: with three at 95 % every seventh comparison of
      # equals would find something.
      class ComparisonVerdict
        LEVEL = 0.95
        METRICS = %i[wall_p50 wall_p95 cpu_unit].freeze

        # `key`: :better :worse :both :changed :none :unknown; `moved`, `unmoved`: Array of Estimate
        Result = Data.define(:key, :moved, :unmoved, :level)

        # @param estimates [Hash{Symbol => Estimate}]
        # @param metrics [Array<Symbol>] that count
        def initialize(estimates, metrics: METRICS)
          @estimates = estimates.values_at(*metrics).compact.select(&:known?)
        end

        # @return [Result]
        def call
          told = @estimates.reject { |estimate| estimate.verdict(level).nil? }
          moved, unmoved = told.partition { |estimate| estimate.verdict(level) != :none }
          Result.new(
            key: told.empty? ? :unknown : key(moved.map { |estimate| estimate.verdict(level) }.uniq), moved:, unmoved:, level:
          )
        end

        private

        def key(verdicts)
          return :none if verdicts.empty?
          return :both if verdicts.include?(:better) && verdicts.include?(:worse)
          (verdicts - [:changed]).first || :changed
        end

        # Bonferroni's.
        def level
          1 - (1 - LEVEL) / [@estimates.size, 1].max
        end
      end
    end
  end
end
