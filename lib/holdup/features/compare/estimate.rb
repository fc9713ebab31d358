# frozen_string_literal: true

module Holdup
  module Compare
    # A figure on either side, and how far their difference can be trusted.
    # - `before`, `after`: nil where unknown
    # - `deviation`: standard error of `change`; `freedom`: its degrees of freedom; nil with too little data
    # - `boots`: the part of it that comes from other processes, a BootDraw, or nil
    # The difference is measured on the scale of logarithms, where half and twice are equally far, unless
    # one side is zero.
    class Estimate < Data.define(:metric, :before, :after, :deviation, :freedom, :boots)
      LEVEL = 0.95
      ROUNDING = 1e-9
      POWER = 0.8

      def initialize(metric:, before:, after:, deviation: nil, freedom: nil, boots: nil)
        super(metric:, before:, after: self.class.rounded(before, after), deviation:, freedom:, boots:)
      end

      # Returns `before` where the sums differ in their last bits only, which rounding may cause.
      def self.rounded(before, after)
        (before && after && (after - before).abs <= before.abs * ROUNDING) ? before : after
      end

      def known?
        !(before.nil? || after.nil?)
      end

      def same?
        known? && before == after
      end

      def relative?
        known? && before.positive? && after.positive?
      end

      def difference
        known? ? after - before : nil
      end

      # 0.1 for a tenth more.
      def relative
        relative? ? after.fdiv(before) - 1 : nil
      end

      # The difference on the scale of the deviation.
      def change
        relative? ? Math.log(after.fdiv(before)) : difference
      end

      # The interval of the relative difference, or of the difference itself where a side is zero.
      def interval(level = LEVEL)
        return unless deviation && known?
        reach = deviation * StudentDistribution.quantile(0.5 + level / 2, freedom)
        low = change - reach
        high = change + reach
        relative? ? (Math.exp(low) - 1)..(Math.exp(high) - 1) : low..high
      end

      # @return [Symbol, nil] :more, :less, :none; nil where it is unknown
      def direction(level = LEVEL)
        range = interval(level) or return
        return :none if range.cover?(0.0) || (relative? && relative.abs < metric.resolution)
        range.begin.positive? ? :more : :less
      end

      # Whether the difference is large enough to matter.
      def relevant?
        known? && difference.abs >= metric.least && (!relative? || relative.abs >= metric.least_share)
      end

      # Whether there is certainly a difference that does not matter.
      def irrelevant?(level = LEVEL)
        %i[more less].include?(direction(level)) && !relevant?
      end

      # @return [Symbol, nil] :better, :worse, :none (also if irrelevant), :changed (neither)
      def verdict(level = LEVEL)
        direction = direction(level)
        return :none if direction && !relevant?
        return direction if direction.nil? || direction == :none
        return :changed unless metric.better
        (direction == metric.better) ? :better : :worse
      end

      # The same, were all processes of a setting alike.
      def without_boots = boots ? with(**boots.alone, boots: nil) : self

      # Whether only the draw of the processes makes the difference uncertain.
      def boots_decide?(level = LEVEL)
        !boots.nil? && verdict(level) == :none && ![nil, :none].include?(without_boots.verdict(level))
      end

      # The relative difference that four of five such comparisons would have shown.
      def visible(level = LEVEL)
        return unless deviation && relative?
        quantiles = [0.5 + level / 2, POWER].sum { |share| StudentDistribution.quantile(share, freedom) }
        detectable = Math.exp(deviation * quantiles) - 1
        [detectable, metric.resolution, metric.least_share, metric.least.fdiv(before)].max
      end

      # Quantiles of Student's distribution: how many deviations an interval takes to either side when the
      # deviation itself is estimated from few blocks. With six of them 2.57 instead of 1.96.
      # Source: Cornish & Fisher's expansion (Abramowitz & Stegun 26.7.5), within 1 % from three degrees of
      # freedom on; one and two have closed forms.
      module StudentDistribution
        module_function

        # @param share [Float] 0.5...1.0, such as 0.975 for both sides of 95 %
        # @param freedom [Numeric] degrees of freedom, at least 1
        def quantile(share, freedom)
          return Math.tan(Math::PI * (share - 0.5)) if freedom < 2
          return (2 * share - 1) / Math.sqrt(2 * share * (1 - share)) if freedom < 3
          expand(normal(share), freedom.to_f)
        end

        # Degrees of freedom of a difference whose sides have different variances (Welch and Satterthwaite).
        # @param variances [Array<Float>] of the sides' means, not all zero
        # @param sizes [Array<Integer>] values behind each mean, at least two
        def freedom(variances, sizes)
          variances.sum**2 / variances.zip(sizes).sum { |variance, size| variance**2 / (size - 1) }
        end

        def normal(share)
          low = 0.0
          high = 10.0
          60.times do
            middle = (low + high) / 2
            below = 0.5 * Math.erfc(-middle / Math.sqrt(2)) < share
            below ? low = middle : high = middle
          end
          low
        end

        def expand(z, freedom)
          z + (z**3 + z) / (4 * freedom) +
            (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2) +
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
        end
        private_class_method :expand
      end
    end
  end
end
