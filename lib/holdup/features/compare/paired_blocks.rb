# frozen_string_literal: true

module Holdup
  module Compare
    # Turns that follow each other, compared in pairs: the logarithm of a figure's ratio in each block of time
    # that has a turn of both sides. What makes a block slow for both sides cancels before blocks are put
    # together, so that one bad block among sixty is one of sixty. What differs between both turns of a block
    # by chance is taken out by least squares: the machine's speed, and how long requests would have taken had
    # each been as its endpoint is on average (see ArrivalReplay); where too few are stored singly for that,
    # how many requests or jobs came, and their mix.
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
      # @param unit_samples [Array<Array<Array<UnitSample>>>] of both sides, by block
      def initialize(cells, slowness:, unit_samples: cells.map { |side| Array.new(side.size) { [] } })
        @cells = cells
        @slowness = slowness
        @unit_samples = unit_samples
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
        chosen = chosen(covariates(metric).transform_values { |values| values.values_at(*kept) })
        rows = chosen.transform_values { |values| filled(values) }
        found = WeightedLeastSquares.new(ratios.values_at(*kept), rows.values,
          weights: weights.values_at(*kept))
        PairedChange.new(change: found.level, deviation: found.deviation * widening(found.residuals, metric),
          freedom: found.freedom, covariates: chosen.keys.values_at(*found.independent))
      end

      # @param covariates [Hash{Symbol => Array<Float, nil>}] of the blocks that count
      # @return [Hash{Symbol => Array<Float, nil>}] those to take out
      def chosen(covariates)
        usable = covariates.select { |_, values| usable?(values) }
        usable = usable.slice(:replay, :speed) if usable.key?(:replay)
        most = [covariates.values.first.size / BLOCKS_A_COVARIATE - 1, 0].max
        usable.first(most).to_h
      end

      # @return [Hash{Symbol => Array<Float, nil>}] differences by block, the most important first
      def covariates(metric)
        @covariates ||= {speed: differences(@slowness), arrivals: differences(arrivals)}
        return {**@covariates, mix: differences(mix(:cpu))} if metric.family == :cpu
        {replay: differences(replayed), **@covariates, mix: differences(mix(:wall))}
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

      # @return [Array<Array<Float, nil>>] logarithm of what the arrivals let expect, by side and block
      def replayed
        @replayed ||= begin
          replay = ArrivalReplay.new(@unit_samples.flatten)
          @unit_samples.zip(@slowness).map do |blocks, slowness|
            blocks.zip(slowness).map { |units, slow| slow && logarithm(replay.mean(units, Math.exp(slow))) }
          end
        end
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

      # The arrivals of a block, replayed: how long requests or jobs would have waited for the GVL and held it
      # had each of them held it for as long as its endpoint does on average. It knows how many came, of which
      # endpoints, and how close to each other; neither side's own times are in it.
      class ArrivalReplay
        # Where a stored request stands for more, too much of how they came is unknown.
        MOST_WEIGHT = 4

        # @param unit_samples [Array<UnitSample>] of both sides
        def initialize(unit_samples)
          @usual_ns = unit_samples.group_by(&:series).transform_values do |same|
            same.sum(&:running_ns).fdiv(same.size)
          end
        end

        # @param slowness [Float] by which the machine took longer
        # @return [Float, nil] ns; nil where too few are known
        def mean(unit_samples, slowness)
          weight = unit_samples.sum(&:weight)
          return if unit_samples.empty? || weight > MOST_WEIGHT * unit_samples.size
          by_process = unit_samples.group_by { |unit| [unit.host, unit.process] }
          by_process.values.sum { |own| total_ns(own, slowness) } / weight
        end

        private

        # One after the other, in the order in which they came.
        def total_ns(unit_samples, slowness)
          free_ns = 0
          came = unit_samples.map { |unit| [unit.start_ns - unit.queued_ns.to_i, unit] }.sort_by(&:first)
          came.sum do |at_ns, unit|
            held_ns = @usual_ns.fetch(unit.series) * slowness * unit.weight
            free_ns = [free_ns, at_ns].max + held_ns
            (free_ns - at_ns) * unit.weight
          end
        end
      end
    end
  end
end
