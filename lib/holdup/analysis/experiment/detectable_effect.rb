# frozen_string_literal: true

module Holdup
  module Analysis
    class Experiment
      # How small a difference an experiment of some length shows in four of five cases, and how long it has
      # to be for a given difference, from how much two equal arms differ at this traffic.
      class DetectableEffect
        # Differences that are asked for.
        SHARES = [0.05, 0.1, 0.2].freeze
        SHORTEST_S = LookSchedule::FEWEST * 60
        LONGEST_S = 28 * 86_400
        # From one length that is tried to the next.
        GROWTH = 1.05

        attr_reader :estimate

        # @param estimate [Comparison::Estimate] of two equal arms
        # @param blocks [ArmBlocks] that it comes from
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

        # The last look's, at which most differences are found. Looks before it find some sooner, so the power
        # is slightly higher.
        def level(schedule)
          @levels[schedule.looks] ||= schedule.levels(schedule.sizes, outcomes: @outcomes).last
        end
      end
    end
  end
end
