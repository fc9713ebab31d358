# frozen_string_literal: true

module Holdup
  module Sizing
    # Tests a growth g against the units: with the true g, a unit's time without its share of g, such as
    # log(running / (1 + g log2(in flight))), does not correlate with the number of units when it began. The
    # score is the remaining correlation, summed over blocks of time.
    class CoherencyEstimator::ScoreTest
      # @return [Array<Float>] of the units in flight, for each unit: see CostShape
      attr_reader :amounts

      attr_reader :size

      # @param profiles [Array<UnitSample>] with some of the time that may grow, if the shape needs that
      # @param closed [Set<UnitSample>] those of a ClosedLoad
      # @yieldreturn [Integer] a profile's time that may grow
      def initialize(profiles, shape, closed: Set.new)
        @size = profiles.size
        @shape = shape
        @groups = CoherencyEstimator::BlockStatistics::UnitGroups.new(profiles, closed:)
        @closed = profiles.map { |profile| closed.include?(profile) }
        @amounts = profiles.map { |profile| shape.amount(profile.in_flight) }
        @weights = profiles.map(&:weight)
        @before = @groups.centred(profiles.map { |profile| shape.amount(1 + profile.concurrency) })
        @figures = profiles.map { |profile| shape.figure(yield(profile)) }
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

      # How far the concurrency at a unit's start predicts that of its run: standard deviation, shape's unit.
      def spread
        square = mean_of { |index| @before[index]**2 }
        square.zero? ? 0.0 : mean_of { |index| @before[index] * @amounts[index] }.abs / Math.sqrt(square)
      end

      # @return [Float] share of what the estimate rests on that comes from comparing levels of a closed load
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
      # `ns(figure)`: the time; `highest`: upper end of the search.
      module CostShape
        # By each doubling. Running times are heavy-tailed, so the means of their logarithms are more stable.
        module DoublingSteps
          def amount(in_flight)
            CoherencyCost.doublings(in_flight)
          end

          def figure(ns) = Math.log(ns)

          def without(figure, factor)
            figure - Math.log(factor)
          end

          def ns(figure) = Math.exp(figure)

          # No larger growth has been measured.
          def highest = 1.0

          extend self
        end

        # Likewise, of what units wait for: where that is one server, 16 of them wait 16 times as long.
        module WaitSteps
          extend DoublingSteps

          # 1 + 3.75 * log2(16) = 16
          def self.highest = 3.75
        end

        # By each further unit. Plain times, because many units have none: a unit with a garbage collection
        # pays for the others.
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

          # A large request can keep many times what the application itself does.
          def highest = 10.0
        end
      end
    end
  end
end
