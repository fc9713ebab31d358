# frozen_string_literal: true

module Holdup
  module Sizing
    # Cost of a unit's start after its process has rested: other work has used the caches, the CPU slept, or
    # the virtual machine gave it away. A rest's length does not depend on the unit that ends it, so running
    # times without the cost of concurrency are compared with it directly. The interval covers both ends of
    # that cost.
    class CoherencyEstimator::ColdStartCost
      # No machine has shown a unit that takes three times as long after a rest.
      HIGHEST = 2.0
      LOWEST = -0.5

      def initialize(profiles, growth:)
        @profiles = profiles.select { |profile| profile.running_ns.positive? }
        @growth = growth
      end

      def estimate
        if size < CoherencyEstimator::FEWEST || blocks < CoherencyEstimator::FEWEST_BLOCKS
          return CoherencyEstimator::IntervalEstimate.unknown(size)
        end
        value, *ends = rest_cost(@growth.for_models)
        low, high = [*ends, rest_cost(@growth.low)[1], rest_cost(@growth.high)[2]].minmax
        CoherencyEstimator::IntervalEstimate.unknown(size).with(value:, low:, high:,
          spread: Math.sqrt(rests.sum { |rest| rest**2 } / size), blocks:)
      end

      private

      def size = @profiles.size

      def rest_cost(growth)
        logs = logs_without(growth)
        warm = groups.by_block { |index| rests[index] * logs[index] }
        interval = CoherencyEstimator::BlockStatistics::ScoreInterval
        interval.of(LOWEST, HIGHEST, blocks) do |cold|
          warm.zip(cold_scores(cold)).map { |score, explained| score - explained }
        end
      end

      def groups
        @groups ||= CoherencyEstimator::BlockStatistics::UnitGroups.new(@profiles)
      end

      def rested
        @rested ||= @profiles.map { |profile| CoherencyCost.rested(profile.rest_ns) }
      end

      def rests
        @rests ||= groups.centred(rested)
      end

      def logs_without(growth)
        @profiles.map do |profile|
          Math.log(profile.running_ns / (1 + growth * CoherencyCost.doublings(profile.in_flight)))
        end
      end

      # The part of the blocks' scores that a cost of rests explains, whatever the growth. Logarithms need not
      # be centred, because `rests` are.
      def cold_scores(cold)
        @cold_scores ||= {}
        @cold_scores[cold] ||= groups.by_block(after_rest) do |index|
          rests[index] * Math.log(1 + cold * rested[index])
        end
      end

      def after_rest
        @after_rest ||= (0...size).select { |index| rested[index].positive? }
      end

      def blocks
        each = groups.by_block { |index| rests[index]**2 }
        each.sum.zero? ? 0.0 : each.sum**2 / each.sum { |one| one**2 }
      end
    end
  end
end
