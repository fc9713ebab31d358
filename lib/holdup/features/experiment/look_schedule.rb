# frozen_string_literal: true

module Holdup
  module Experiment
    # When to look at an experiment, fixed before it begins: after so many blocks of time. Where looks were
    # possible at any time, one of them would find a difference between equals sooner or later.
    #
    # - `block_s`: seconds of a block; `blocks`: their number at the planned end; `looks`: number of looks
    LookSchedule = Data.define(:block_s, :blocks, :looks) do
      # @param planned_s [Integer] the planned length of the experiment
      # @param shortest_s [Integer] blocks are at least so long: the stored windows, or both turns of a
      #   switchback
      # @param looks [Integer, nil] nil: as many as have enough new blocks
      def self.of(planned_s, shortest_s: 60, looks: nil)
        known = [*Compare::BlockBootstrap::TimeBlocks::LENGTHS_S,
          *Compare::BlockBootstrap::TimeBlocks::LONGER_S]
        lengths = known.select { |seconds| (seconds % shortest_s).zero? }
        block_s = lengths.reverse.find { |seconds| seconds * self::WANTED <= planned_s } || shortest_s
        blocks = planned_s / block_s
        looks ? new(block_s:, blocks:, looks:) : of_blocks(blocks, block_s:)
      end

      # The schedule has as many looks as have enough new blocks.
      def self.of_blocks(blocks, block_s:)
        new(block_s:, blocks:, looks: (blocks / self::BLOCKS_A_LOOK).clamp(1, self::MOST))
      end

      def planned_s = block_s * blocks

      # @return [Array<Integer>] blocks at each look
      def sizes
        Array.new(looks) { |look| blocks * (look + 1) / looks }
      end

      # The looks that are possible with so many blocks.
      # @param over [Boolean] whether no more are to come: then the last look is now
      # @return [Array<Integer>] blocks at each
      def reached(count, over: false)
        count = [count, blocks].min
        return sizes.select { |size| size <= count } unless over
        [*sizes.select { |size| size < count }, count]
      end

      # @param sizes [Array<Integer>] of reached
      # @param outcomes [Integer] figures that are judged at each look (Bonferroni's correction)
      # @return [Array<Float>] level of the intervals at each look
      def levels(sizes, outcomes:, over: false, alpha: self.class::ALPHA)
        return [] if sizes.empty?
        looked = over ? sizes : self.sizes
        spending = LookSchedule::AlphaSpending.new(looked, planned: blocks, alpha: alpha / outcomes)
        spending.levels.first(sizes.size)
      end
    end

    # Share of experiments with equals in which a look may find something.
    LookSchedule::ALPHA = 0.05
    # More looks gain little time: an experiment with five ends nearly as early as one with ten.
    LookSchedule::MOST = 5
    LookSchedule::BLOCKS_A_LOOK = 10
    # Blocks at the end, if there is time for them: correlation between blocks can be estimated then.
    LookSchedule::WANTED = 30
    # Fewer blocks give no verdict.
    LookSchedule::FEWEST = 6

    class LookSchedule
      # How certain a difference has to be at each look at an experiment, so that all looks together find a
      # difference between equals in at most `alpha` of the experiments. Early looks need stronger evidence,
      # but no more than ten or twelve blocks can have; the last one needs nearly what a single look needs.
      #
      # Each look may spend what the spending function has grown by since the look before: the square of the
      # share of the data. (O'Brien and Fleming's leaves the first of five looks 1 in 100,000, which a few
      # blocks never reach.) How likely a look is the first to cross its boundary comes from integrating over
      # all paths that crossed none before.
      # Sources: Lan & DeMets, Discrete sequential boundaries for clinical trials (Biometrika 70, 1983);
      # Kim & DeMets, Design and analysis of group sequential tests based on the type I error spending rate
      # function (Biometrika 74, 1987): the power family;
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
              path = continued(path, size, boundary * Math.sqrt(size)) unless look == @sizes.size - 1
              boundary
            end
          end
        end

        private

        # The density of the sum at a look, of the experiments that go on: values at the middle and ends of
        # equal steps, with their weights. Both are symmetric about zero.
        PathDensity = Data.define(:size, :points, :masses)
        private_constant :PathDensity

        def spent(look)
          return @alpha if look == @sizes.size - 1
          @alpha * [@sizes[look] / @planned, 1.0].min**2
        end

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

      # How small a difference an experiment of some length shows in four of five cases, and how long it has
      # to be for a given difference, from how much two equal arms differ at this traffic.
      class DetectableEffect
        # Differences that are asked for.
        SHARES = [0.05, 0.1, 0.2].freeze
        SHORTEST_S = LookSchedule::FEWEST * 60
        LONGEST_S = 28 * 86_400
        # Factor from one length that is tried to the next.
        GROWTH = 1.05

        attr_reader :estimate

        # @param estimate [Compare::Estimate] of two equal arms
        # @param blocks [Result::ArmBlocks] that it comes from
        # @param outcomes [Integer] figures that the experiment judges
        def initialize(estimate, blocks:, outcomes:)
          @estimate = estimate
          @seconds = blocks.size * blocks.length_s
          @shortest_s = blocks.length_s
          @outcomes = outcomes
          @levels = {}
        end

        def known? = !estimate.deviation.nil? && estimate.relative?

        # @param planned_s [Integer]
        # @return [Float, nil] relative difference; nil if unknown
        def share(planned_s)
          return unless known?
          schedule = LookSchedule.of(planned_s)
          return if schedule.blocks < LookSchedule::FEWEST
          deviation = estimate.deviation * Math.sqrt(@seconds.fdiv(schedule.planned_s))
          estimate.with(deviation:, freedom: schedule.blocks - 1).visible(level(schedule))
        end

        # @param share [Float] relative difference, such as 0.05
        # @return [Integer, nil] seconds, in whole minutes; nil if unknown, or if no month would show it
        def seconds(share)
          return unless known?
          planned_s = SHORTEST_S
          while planned_s <= LONGEST_S
            found = share(planned_s)
            return planned_s if found && found <= share
            planned_s = (planned_s * GROWTH).ceil.ceildiv(60) * 60
          end
          nil
        end

        private

        # The last look's, at which most differences are found. Looks before it find some sooner, so the
        # power is slightly higher.
        def level(schedule)
          @levels[schedule.looks] ||= schedule.levels(schedule.sizes, outcomes: @outcomes).last
        end
      end
    end
  end
end
