# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # Quantiles of Student's distribution: how many deviations an interval takes to either side when the
      # deviation itself was estimated from few blocks. With six of them 2.57 instead of 1.96.
      #
      # Source: Cornish & Fisher's expansion (Abramowitz & Stegun 26.7.5), within 1 % from three degrees of
      # freedom on; one and two have closed forms.
      module StudentDistribution
        module_function

        # @param share [Float] 0.5...1.0, such as 0.975 for both sides of 95 %
        # @param freedom [Numeric] degrees of it, at least 1
        # @return [Float]
        def quantile(share, freedom)
          return Math.tan(Math::PI * (share - 0.5)) if freedom < 2
          return (2 * share - 1) / Math.sqrt(2 * share * (1 - share)) if freedom < 3
          expand(normal(share), freedom.to_f)
        end

        # Of a difference whose sides vary unlike (Welch and Satterthwaite).
        # @param variances [Array<Float>] of the sides' means, not all zero
        # @param sizes [Array<Integer>] of how many values each mean is, at least two
        # @return [Float] degrees of freedom
        def freedom(variances, sizes)
          variances.sum**2 / variances.zip(sizes).sum { |variance, size| variance**2 / (size - 1) }
        end

        # @param share [Float] 0.5...1.0
        # @return [Float] the quantile of the normal distribution
        def normal(share)
          low = 0.0
          high = 10.0
          60.times do
            middle = (low + high) / 2
            (0.5 * Math.erfc(-middle / Math.sqrt(2)) < share) ? low = middle : high = middle
          end
          low
        end

        def expand(z, freedom)
          z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2) +
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
        end
        private_class_method :expand
      end
    end
  end
end
