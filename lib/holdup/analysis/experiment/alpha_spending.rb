# frozen_string_literal: true

module Holdup
  module Analysis
    class Experiment
      # How certain a difference has to be at each look at an experiment, so that all looks together find a
      # difference between equals in at most `alpha` of the experiments. Early looks need overwhelming
      # evidence; the last one nearly what a single look needs.
      #
      # Each look may spend what the spending function has grown by since the look before. The function is the
      # one of O'Brien and Fleming's type; how likely a look is the first to cross its boundary comes from
      # integrating over all paths that crossed none before.
      # Sources: Lan & DeMets, Discrete sequential boundaries for clinical trials (Biometrika 70, 1983);
      # Armitage, McPherson & Rowe, Repeated significance tests on accumulating data (JRSS A 132, 1969);
      # Jennison & Turnbull, Group Sequential Methods (2000), 3.8: the levels, which are of the normal
      # distribution here, also serve for Student's.
      class AlphaSpending
        # Intervals of the numerical integration, an even number.
        STEPS = 240
        # No boundary is farther out, in standard deviations.
        FARTHEST = 9.0
        BISECTIONS = 50

        # @param sizes [Array<Numeric>] data at each look, such as blocks, ascending
        # @param planned [Numeric] data at the planned end. An earlier last look spends all that is left
        # @param alpha [Float] share of experiments with equals in which a look may find something
        def initialize(sizes, planned: sizes.last, alpha: 0.05)
          @sizes = sizes.map(&:to_f)
          @planned = planned.to_f
          @alpha = alpha
        end

        # @return [Array<Float>] the level of the two-sided interval at each look, such as 0.998
        def levels
          boundaries.map { |boundary| 1 - tails(boundary) }
        end

        # @return [Array<Float>] how many standard deviations from zero a difference has to be, by look
        def boundaries
          @boundaries ||= begin
            path = nil
            @sizes.each_with_index.map do |size, look|
              boundary = boundary(path, size, spent(look) - (look.zero? ? 0.0 : spent(look - 1)))
              path = continued(path, size, boundary * Math.sqrt(size))
              boundary
            end
          end
        end

        private

        # The density of the sum at a look, of the experiments that go on: values at the middle and ends of
        # equal steps, with their weights. Both are symmetric about zero.
        PathDensity = Data.define(:size, :points, :masses)
        private_constant :PathDensity

        # Half of it in each direction.
        def spent(look)
          return @alpha if look == @sizes.size - 1
          share = [@sizes[look] / @planned, 1.0].min
          2 * tails(normal(1 - @alpha / 4) / Math.sqrt(share))
        end

        def normal(share) = Comparison::Estimate::StudentDistribution.normal(share)

        # Both tails of the normal distribution.
        def tails(boundary) = Math.erfc(boundary / Math.sqrt(2))

        def boundary(path, size, spend)
          low = 0.0
          high = FARTHEST
          BISECTIONS.times do
            middle = (low + high) / 2
            (crossing(path, size, middle) > spend) ? low = middle : high = middle
          end
          high
        end

        # The probability that this look is the first to cross.
        def crossing(path, size, boundary)
          return tails(boundary) unless path
          reach = boundary * Math.sqrt(size)
          scale = Math.sqrt(2 * (size - path.size))
          # Half of them cross at each end, as likely at the one as at the other.
          weighted(path) { |point| Math.erfc((reach - point) / scale) }
        end

        # @param reach [Float] boundary of the sum
        def continued(path, size, reach)
          step = 2 * reach / STEPS
          points = Array.new(STEPS + 1) { |index| index * step - reach }
          half = points.first(STEPS / 2 + 1).map { |point| density(path, size, point) }
          densities = half + half.reverse.drop(1)
          masses = densities.each_with_index.map { |density, index| density * weight(index) * step / 3 }
          PathDensity.new(size:, points:, masses:)
        end

        # Simpson's rule.
        def weight(index)
          return 1 if index.zero? || index == STEPS
          index.odd? ? 4 : 2
        end

        def density(path, size, point)
          variance = path ? size - path.size : size
          factor = -1 / (2 * variance)
          root = Math.sqrt(2 * Math::PI * variance)
          return Math.exp(factor * point**2) / root unless path
          weighted(path) { |from| Math.exp(factor * (point - from)**2) } / root
        end

        # @yieldparam point [Float]
        # @return [Float] sum of the values of all points, weighted
        def weighted(path)
          sum = 0.0
          path.masses.each_with_index { |mass, index| sum += mass * yield(path.points[index]) }
          sum
        end
      end
    end
  end
end
