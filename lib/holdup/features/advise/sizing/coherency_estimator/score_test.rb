# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Tests a growth g against the units: with the true g, a unit's time without its share of g, such as
      # log(running / (1 + g log2(in flight))), does not correlate with the number of units when it began. The
      # score is the remaining correlation, summed over blocks of time.
      class CoherencyEstimator::ScoreTest
        # @return [Array<Float>] of the units in flight, for each unit: see CostShape
        attr_reader :amounts

        attr_reader :size

        # @param unit_samples [Array<UnitSample>] with some of the time that may grow, if the shape needs that
        # @param closed [Set<UnitSample>] those of a ClosedLoad
        # @param doubts [Array<Float>, nil] standard deviation of each unit's logarithm because of one number
        #   that all share, see SpeedEffect; nil: none
        # @yieldreturn [Integer] a unit sample's time that may grow
        def initialize(unit_samples, shape, closed: Set.new, doubts: nil)
          @size = unit_samples.size
          @shape = shape
          @groups = CoherencyEstimator::ScoreTest::BlockStatistics::UnitGroups.new(unit_samples, closed:)
          @closed = unit_samples.map { |unit_sample| closed.include?(unit_sample) }
          @amounts = unit_samples.map { |unit_sample| shape.amount(unit_sample.in_flight) }
          @weights = unit_samples.map(&:weight)
          @before = @groups.centred(unit_samples.map { |unit| shape.amount(1 + unit.concurrency) })
          @figures = unit_samples.map { |unit_sample| shape.figure(yield(unit_sample)) }
          @doubts = doubts
        end

        # @return [Float] standard deviation of the sum of all scores because of the doubts
        def doubt
          return 0.0 unless @doubts
          slopes = @shape.doubts(@doubts, @figures)
          @groups.by_block { |index| @before[index] * slopes[index] }.sum.abs
        end

        def highest = @shape.highest

        # The score of each block: above 0 if running times grew more than `growth`.
        def scores(growth)
          @closed.any? ? centred_scores(growth) : plain_scores(growth)
        end

        # How many equal blocks would say as much: a block in which concurrency hardly varies says nothing.
        def blocks
          each = @groups.by_block { |index| @before[index]**2 }
          each.sum.zero? ? 0.0 : each.sum**2 / each.sum { |one| one**2 }
        end

        # How far the concurrency at a unit's start predicts that of its run: standard deviation, shape's
        # unit.
        def spread
          square = mean_of { |index| @before[index]**2 }
          square.zero? ? 0.0 : mean_of { |index| @before[index] * @amounts[index] }.abs / Math.sqrt(square)
        end

        # @return [Float] share of what the estimate rests on that comes from comparing levels of a closed
        #   load
        def between_levels
          whole, part = [->(_) { true }, ->(index) { @closed[index] }].map do |counts|
            mean_of { |index| counts.call(index) ? @before[index]**2 : 0.0 }
          end
          whole.zero? ? 0.0 : part / whole
        end

        # Mean over the units that the sample stands for.
        def mean_of
          @groups.by_block { |index| yield(index) }.sum / @weights.sum
        end

        def alone_ns(growth)
          mean_of { |index| @shape.ns(@figures[index]) / (1 + growth * @amounts[index]) }
        end

        private

        # Units of a closed load are compared across blocks, so a block alone does not balance.
        def centred_scores(growth)
          left = Array.new(size) { |index| @shape.without(@figures[index], 1 + growth * @amounts[index]) }
          residuals = @groups.centred(left)
          @groups.by_block { |index| @before[index] * residuals[index] }
        end

        # Times need not be centred, because `@before` is. A search asks for dozens of growths, so units alone
        # are summed once.
        def plain_scores(growth)
          scores_together = @groups.by_block(together) do |index|
            @before[index] * @shape.without(@figures[index], 1 + growth * @amounts[index])
          end
          scores_alone.zip(scores_together).map(&:sum)
        end

        # Indices of the units whose time depends on the growth.
        def together
          @together ||= (0...size).select { |index| @amounts[index].positive? }
        end

        def scores_alone
          @scores_alone ||= begin
            alone = (0...size).reject { |index| @amounts[index].positive? }
            @groups.by_block(alone) { |index| @before[index] * @figures[index] }
          end
        end

        # How times may grow with the units in flight. `amount(in_flight)`: what they grow with; `figure(ns)`:
        # of a unit's time, for means; `without(figure, factor)`: the figure of a time shorter by that factor;
        # `ns(figure)`: the time; `doubts(logarithms, figures)`: deviations of the figures from those of their
        # logarithms; `highest`: upper end of the search.
        module CostShape
          # Times grow by each doubling. Running times are heavy-tailed, so the means of their logarithms are
          # more stable.
          module DoublingSteps
            def amount(in_flight)
              CoherencyCost.doublings(in_flight)
            end

            def figure(ns) = Math.log(ns)

            def without(figure, factor)
              figure - Math.log(factor)
            end

            def ns(figure) = Math.exp(figure)

            def doubts(logarithms, _figures) = logarithms

            # No larger growth has been measured.
            def highest = 1.0

            extend self
          end

          # Waits grow by each doubling, too: where units wait for one server, 16 of them wait 16 times as
          # long.
          module WaitSteps
            extend DoublingSteps

            # 1 + 3.75 * log2(16) = 16
            def self.highest = 3.75
          end

          # Times grow by each further unit. They are plain times, because many units have none: a unit with a
          # garbage collection pays for the others.
          module PerUnit
            module_function

            def amount(in_flight)
              CoherencyCost.others(in_flight)
            end

            def figure(ns) = ns.to_f

            def without(figure, factor)
              figure / factor
            end

            def ns(figure) = figure

            def doubts(logarithms, figures)
              logarithms.zip(figures).map { |logarithm, figure| logarithm * figure }
            end

            # A large request can keep many times what the application itself does.
            def highest = 10.0
          end
        end
      end

      module CoherencyEstimator::ScoreTest::BlockStatistics
        # Compares units of one series and one block of time, so that neither another mix nor another hour (a
        # nightly batch of the same name, a slower machine) looks like growth. Blocks count as independent.
        #
        # While arrivals wait for answers, the number in flight stays what it is within a block. The client
        # changes it, whatever units take, so there the moments of ten minutes are compared.
        class UnitGroups
          # The time of a unit of a closed load: the cell counts as independent, and cells of an era are
          # compared.
          ClosedTime = Data.define(:cell, :era) do
            def self.of(unit)
              second = unit.start_ns / NS
              new(cell: second / ClosedLoad::CELL_S, era: [:closed, second / BLOCK_S.max.to_i])
            end
          end

          # Number of blocks if there are units enough; ten minutes each if the recording exceeds five hours.
          BLOCKS = 30
          BLOCK_S = (10.0..600.0)
          UNITS = 50
          # A smaller part of the mean comes from adding numbers up.
          ROUNDING = 1e-9

          # @return [Array<Integer>] block of each unit
          attr_reader :blocks

          # @param closed [Set<UnitSample>] by identity: those of a ClosedLoad
          def initialize(unit_samples, closed: Set.new)
            first_ns, last_ns = unit_samples.map(&:start_ns).minmax
            # One more than the distance, so that the last unit does not get a block of its own.
            length_ns = block_ns(last_ns.to_i - first_ns.to_i + 1, unit_samples.size)
            times = unit_samples.map do |unit|
              closed.include?(unit) ? ClosedTime.of(unit) : ((unit.start_ns - first_ns) / length_ns).floor
            end
            @blocks = numbered(times)
            @groups = numbered(unit_samples.zip(times).map { |unit, time| [unit.series, compared(time)] })
            @weights = unit_samples.map(&:weight)
            @totals = by_group { 1.0 }
          end

          # The values of all units, each without the mean of its group. Equal values give exactly 0, because
          # an estimate divides by their variance.
          def centred(values)
            sums = by_group { |index| values[index] }
            Array.new(values.size) do |index|
              mean = sums[@groups[index]] / @totals[@groups[index]]
              left = values[index] - mean
              (left.abs <= ROUNDING * mean.abs) ? 0.0 : left
            end
          end

          # Sums a value of each unit index by block.
          # @param units [Enumerable<Integer>] indices of those that have one
          def by_block(units = @blocks.each_index)
            sums = Array.new(@blocks.max.to_i + 1, 0.0)
            units.each { |index| sums[@blocks[index]] += @weights[index] * yield(index) }
            sums
          end

          private

          def compared(time)
            time.is_a?(ClosedTime) ? time.era : time
          end

          def block_ns(span_ns, units)
            (span_ns.fdiv(NS) / (units / UNITS).clamp(1, BLOCKS)).clamp(BLOCK_S) * NS
          end

          def numbered(values)
            numbers = {}
            values.map { |value| numbers[value] ||= numbers.size }
          end

          def by_group
            sums = Array.new(@groups.max.to_i + 1, 0.0)
            @groups.each_with_index { |group, index| sums[group] += @weights[index] * yield(index) }
            sums
          end
        end

        # The value that blocks of time agree on, and its 90 % interval: all values for which the blocks'
        # scores are not too far from 0 for their variance.
        module ScoreInterval
          STEPS = 14
          Z = 1.6449

          module_function

          # @param blocks [Float] how many equal blocks would say as much
          # @param doubt [Float] standard deviation of the sum that the blocks do not show
          # @yieldreturn [Array<Float>] the score of each block, which falls as the value rises
          # @return [Array<Float>] value, low, high
          def of(from, to, blocks, doubt: 0.0, &)
            certain = student(blocks - 1)
            ratios = Hash.new { |known, value| known[value] = ratio(yield(value), blocks, doubt) }
            [0.0, certain, -certain].map { |bound| where(from, to, bound) { |value| ratios[value] } }
          end

          # The value at which the scores are `bound` standard errors above 0.
          def where(low, high, bound)
            return low if yield(low) < bound
            return high if yield(high) > bound
            STEPS.times do
              middle = (low + high) / 2
              (yield(middle) > bound) ? low = middle : high = middle
            end
            (low + high) / 2
          end

          def ratio(scores, blocks, doubt)
            total = scores.sum
            square = scores.sum { |score| (score - total / scores.size)**2 } * blocks / (blocks - 1)
            error = Math.sqrt(square + doubt**2)
            error.zero? ? 0.0 : total / error
          end

          # 95th percentile of Student's t (Cornish and Fisher's expansion, 1 % off at 3 degrees).
          def student(degrees)
            first = (Z**3 + Z) / (4 * degrees)
            second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / (96 * degrees**2)
            third = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / (384 * degrees**3)
            Z + first + second + third
          end
        end
      end
    end
  end
end
