# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # What a figure is on either side, and how far their difference can be trusted.
      #
      # - `before`, `after`: nil where it is unknown
      # - `deviation`: standard error of `change`; `freedom`: degrees of it. Both nil where there was too
      #   little to tell
      #
      # The difference is measured on the scale of logarithms, where half and twice are equally far, unless
      # one side is zero.
      Estimate = Data.define(:metric, :before, :after, :deviation, :freedom) do
        def initialize(metric:, before:, after:, deviation: nil, freedom: nil)
          super(metric:, before:, after: self.class.rounded(before, after), deviation:, freedom:)
        end

        # Sums of the same numbers may differ in their last bits, which is no difference.
        # @return [Numeric, nil] after, or before where they differ in nothing else
        def self.rounded(before, after)
          (before && after && (after - before).abs <= before.abs * self::ROUNDING) ? before : after
        end

        # @return [Boolean] whether both sides are known
        def known?
          !(before.nil? || after.nil?)
        end

        # @return [Boolean] whether both sides are equal
        def same?
          known? && before == after
        end

        # @return [Boolean] whether a relative difference says something
        def relative?
          known? && before.positive? && after.positive?
        end

        # @return [Float, nil] in the metric's unit
        def difference
          known? ? after - before : nil
        end

        # @return [Float, nil] 0.1 for a tenth more
        def relative
          relative? ? after.fdiv(before) - 1 : nil
        end

        # @return [Float] on the scale of the deviation
        def change
          relative? ? Math.log(after.fdiv(before)) : difference
        end

        # @param level [Float]
        # @return [Range<Float>, nil] of the relative difference, or of the difference itself where there is
        #   no relative one
        def interval(level = self.class::LEVEL)
          return unless deviation && known?
          reach = deviation * StudentDistribution.quantile(0.5 + level / 2, freedom)
          relative? ? (Math.exp(change - reach) - 1)..(Math.exp(change + reach) - 1) : (change - reach)..(change + reach)
        end

        # @param level [Float]
        # @return [Symbol, nil] :more, :less, :none; nil where it can't be told
        def direction(level = self.class::LEVEL)
          range = interval(level) or return
          return :none if range.cover?(0.0) || (relative? && relative.abs < metric.resolution)
          range.begin.positive? ? :more : :less
        end

        # @return [Boolean] whether the difference is large enough to matter to anybody
        def relevant?
          known? && difference.abs >= metric.least && (!relative? || relative.abs >= metric.least_share)
        end

        # @param level [Float]
        # @return [Boolean] whether there is a difference for sure, and it does not matter
        def irrelevant?(level = self.class::LEVEL)
          %i[more less].include?(direction(level)) && !relevant?
        end

        # @return [Symbol, nil] :better, :worse, :none (also where it does not matter), :changed (where
        #   neither is better); nil where it can't be told
        def verdict(level = self.class::LEVEL)
          found = direction(level)
          return :none if found && !relevant?
          return found if found.nil? || found == :none
          return :changed unless metric.better
          (found == metric.better) ? :better : :worse
        end

        # @return [Float, nil] the relative difference that would have been shown in four of five cases
        def visible(level = self.class::LEVEL)
          return unless deviation && relative?
          reach = deviation * (StudentDistribution.quantile(0.5 + level / 2,
            freedom) + StudentDistribution.quantile(self.class::POWER, freedom))
          [Math.exp(reach) - 1, metric.resolution, metric.least_share, metric.least.fdiv(before)].max
        end
      end

      Estimate::LEVEL = 0.95
      Estimate::ROUNDING = 1e-9
      Estimate::POWER = 0.8
    end
  end
end
