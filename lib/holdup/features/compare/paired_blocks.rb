# frozen_string_literal: true

module Holdup
  module Compare
    # Turns that follow each other, compared in pairs: the logarithm of a figure's ratio in each block of time
    # that has a turn of both sides. What makes a block slow for both sides cancels before blocks are put
    # together, so that one bad block among sixty is one of sixty. What differs between both turns of a block
    # by chance is taken out by least squares: the machine's speed, how many requests or jobs came, and their
    # mix.
    #
    # A covariate that clearly differs between the sides in all blocks is no chance but a part of the effect:
    # users who wait for answers send more where these come sooner. It is left out.
    # Source: analysis of covariance with paired differences (Deng et al., Improving the sensitivity of online
    # controlled experiments, WSDM 2013).
    class PairedBlocks
      # Metrics of these families are times that each block has.
      FAMILIES = %i[wall response wait cpu].freeze
      # Fewer blocks give no interval. Each covariate costs so many.
      FEWEST = 6
      BLOCKS_A_COVARIATE = 6
      # Share of the blocks that has to have the figure, or the covariate, on both sides.
      KNOWN = 0.9
      # Standard errors from which a covariate is a part of the effect.
      EFFECT = 3.0

      # A figure in pairs. `change`: mean logarithm of the ratio at equal covariates; `deviation`, `freedom`:
      # of that; `covariates`: names of those that were taken out
      PairedChange = Data.define(:change, :deviation, :freedom, :covariates) do
        # @param other [Float] change of all blocks together
        # @return [Boolean] whether it is certain, and in the other direction
        def against?(other)
          quantile = Estimate::StudentDistribution.quantile(0.5 + Estimate::LEVEL / 2, freedom)
          (change * other).negative? && change.abs > deviation * quantile
        end
      end

      # @param cells [Array<BlockCells>] of both sides, with the same blocks
      # @param slowness [Array<Array<Float, nil>>] of both sides: logarithm of how long the machine took for
      #   the same work in each block
      def initialize(cells, slowness:)
        @cells = cells
        @slowness = slowness
      end

      # @return [PairedChange, nil] nil for other figures, and where too few blocks have it
      def change(metric)
        return unless FAMILIES.include?(metric.family)
        ratios = differences(figures(metric).map { |side| side.map { |figure| logarithm(figure) } })
        fit(ratios, metric) if known?(ratios)
      end

      private

      def size = @cells.first.size

      def known?(values)
        values.compact.size >= [KNOWN * size, FEWEST].max
      end

      # @param sides [Array<Array<Float, nil>>]
      # @return [Array<Float, nil>] by block
      def differences(sides)
        sides.transpose.map { |before, after| after - before if before && after }
      end

      def logarithm(figure) = figure&.positive? ? Math.log(figure) : nil

      # @return [Array<Array<BlockCells::ResampledSide>>] each block alone, by side
      def blocks
        @blocks ||= @cells.map do |cells|
          Array.new(size) do |block|
            only = Array.new(size) { |index| (index == block) ? 1 : 0 }
            BlockCells::ResampledSide.new(cells, only)
          end
        end
      end

      # With the mix that each turn has: in a single turn, endpoints are rare.
      # @return [Array<Array<Float, nil>>] by side and block
      def figures(metric)
        spread = metric.family if metric.name.match?(/_p\d+\z/)
        means[spread] ||= blocks.map do |side|
          side.map { |block| block.figures(block.units, percentiles: [*spread]) }
        end
        means[spread].map { |side| side.map { |found| found[metric.name] } }
      end

      def means = @means ||= {}

      # @param ratios [Array<Float, nil>]
      # @return [PairedChange]
      def fit(ratios, metric)
        kept = ratios.each_index.select { |block| ratios[block] }
        chosen = covariates(metric).select { |_, values| usable?(values.values_at(*kept)) }
          .first([kept.size / BLOCKS_A_COVARIATE - 1, 0].max).to_h
        rows = chosen.values.map { |values| filled(values.values_at(*kept)) }
        found = WeightedLeastSquares.new(ratios.values_at(*kept), rows, weights: weights.values_at(*kept))
        PairedChange.new(change: found.level, deviation: found.deviation * widening(found.residuals, metric),
          freedom: found.freedom, covariates: chosen.keys)
      end

      # @return [Hash{Symbol => Array<Float, nil>}] differences by block, the most important first
      def covariates(metric)
        @covariates ||= {speed: differences(@slowness), arrivals: differences(arrivals)}
        family = (metric.family == :cpu) ? :cpu : :wall
        {**@covariates, mix: differences(mix(family))}
      end

      def usable?(values)
        known = values.compact
        return false if known.size < KNOWN * values.size
        mean = known.sum / known.size
        error = Math.sqrt(known.sum { |value| (value - mean)**2 } / (known.size - 1) / known.size)
        error > 1e-9 && mean.abs <= EFFECT * error
      end

      # A block without a value has the mean of the others.
      def filled(values)
        mean = values.compact.sum / values.compact.size
        values.map { |value| value || mean }
      end

      def arrivals
        figures = figures(Comparison::Metric::ALL.fetch(:cpu_unit).with(name: :throughput))
        figures.map { |side| side.map { |rate| logarithm(rate) } }
      end

      # What the mix of a turn lets expect, of endpoints as they are on average.
      def mix(family)
        @mix ||= {}
        @mix[family] ||= begin
          usual = usual_means(family)
          blocks.map { |side| side.map { |block| logarithm(expected(block, usual)) } }
        end
      end

      # @return [Array<Float>] by stratum, of both sides
      def usual_means(family)
        all = @cells.map { |cells| BlockCells::ResampledSide.new(cells, Array.new(size, 1)) }
        means = all.map { |side| side.means(family) }
        @cells.first.strata.map do |stratum|
          known = means.filter_map { |side| side[stratum] }
          known.empty? ? 0.0 : known.sum / known.size
        end
      end

      def expected(block, usual)
        units = block.units
        return if units.sum.zero?
        units.zip(usual).sum { |count, mean| count * mean } / units.sum
      end

      # Blocks with fewer units than usual count for less.
      def weights
        @weights ||= begin
          counts = blocks.map { |side| side.map { |block| block.units.sum } }
          pairs = counts.transpose.map { |one, other| one * other / [one + other, 1].max }
          usual = pairs.sort[pairs.size / 2]
          pairs.map { |count| usual.zero? ? 1.0 : (count / usual).clamp(0.05, 1.0) }
        end
      end

      # Swings that last longer than a block, see BlockBootstrap::Autocorrelation.
      def widening(residuals, metric)
        level = residuals.map { {metric.name => 1.0} }
        sides = [level, residuals.map { |residual| {metric.name => Math.exp(residual)} }]
        BlockBootstrap::Autocorrelation.new(sides, paired: true).widening(metric)
      end

      # A level and slopes by weighted least squares.
      # The standard error is the larger of two: the one for equal variances, and the one for any (HC3):
      # turns on a slow machine differ more, and are few.
      # Source: MacKinnon & White, Some heteroskedasticity-consistent covariance matrix estimators (Journal of
      # Econometrics 29, 1985).
      class WeightedLeastSquares
        # A block that alone decides a slope has no residual.
        LEAST_REST = 0.1
        private_constant :LEAST_REST

        attr_reader :level, :freedom, :residuals

        # @param values [Array<Float>]
        # @param rows [Array<Array<Float>>] of each covariate, as many as values
        # @param weights [Array<Float>]
        def initialize(values, rows, weights:)
          @weights = weights
          @points = [Array.new(values.size, 1.0), *rows].transpose
          @inverse = inverse(products(@points))
          coefficients = multiply(@inverse, products([values]).first)
          @level = coefficients.first
          @residuals = @points.zip(values).map { |point, value| value - dot(point, coefficients) }
          @freedom = values.size - @inverse.size
        end

        # @return [Float] standard error of the level
        def deviation = Math.sqrt([of_equal_variances, of_any_variances].max)

        private

        def of_equal_variances
          squares = @weights.each_with_index.sum { |weight, index| weight * @residuals[index]**2 }
          squares / @freedom * @inverse.first.first
        end

        def of_any_variances
          @points.each_with_index.sum do |point, index|
            leverage = @weights[index] * dot(point, multiply(@inverse, point))
            share = @weights[index] * dot(@inverse.first, point)
            (share * @residuals[index] / [1 - leverage, LEAST_REST].max)**2
          end
        end

        # @param values [Array<Array<Float>>] points, or one row of values
        # @return [Array<Array<Float>>] weighted products of all columns with them
        def products(values)
          columns = @points.transpose
          others = values.equal?(@points) ? columns : values
          others.map do |other|
            columns.map { |column| dot(@weights, column.zip(other).map { |one, value| one * value }) }
          end
        end

        def dot(one, other) = one.zip(other).sum { |a, b| a * b }

        def multiply(matrix, vector) = matrix.map { |row| dot(row, vector) }

        # Gauss and Jordan's elimination, with the largest pivot.
        def inverse(matrix)
          rows = matrix.each_with_index.map do |row, index|
            [*row, *Array.new(matrix.size) { |column| (column == index) ? 1.0 : 0.0 }]
          end
          rows.each_index { |column| eliminate(rows, column) }
          rows.map { |row| row.last(matrix.size) }
        end

        def eliminate(rows, column)
          pivot = (column...rows.size).max_by { |index| rows[index][column].abs }
          rows[column], rows[pivot] = rows[pivot], rows[column]
          rows[column] = rows[column].map { |value| value / rows[column][column] }
          rows.each_index do |index|
            next if index == column
            factor = rows[index][column]
            rows[index] = rows[index].zip(rows[column]).map { |value, taken| value - factor * taken }
          end
        end
      end
    end
  end
end
