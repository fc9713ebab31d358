# frozen_string_literal: true

module Holdup
  module Experiment
    # The arms of an experiment in a store: processes that differ in one fact of their settings, at the same
    # time.
    class Reader
      # Blocks that the time needed is estimated from.
      ENOUGH_TURNS = 12
      TURNS_S = [60, 120, 300].freeze

      # What an experiment at the recorded traffic can show. `effects`: Array of
      # LookSchedule::DetectableEffect; `basis`: :processes (halves of the processes) or
      # :turns (alternating in time); `block_s`: length of the blocks; `equality`:
      # Result::EqualityResult; `rate`: requests or jobs per second, nil where they were
      # measured for too short
      ExperimentOutlook = Data.define(:effects, :basis, :block_s, :equality, :rate)

      # @param store [Store::Sql] open until all is read
      def initialize(store, from_s:, to_s:, filter:)
        @source = Compare::Reader.new(store, from_s:, to_s:, filter:)
        @to_s = to_s
      end

      # @param fact [String] "arm", "revision", "jit"
      # @param values [Array<String>, nil] control and candidate; nil: the two with most units, the one that
      #   was first used as control
      # @return [Compare::SettingGroups::Picked]
      # @raise [UsageError, Error] there are no two arms
      def pick(fact, values)
        settings = @source.settings
        if fact == Setting::LABEL && settings.any? && settings.keys.none? { |setting| setting[fact] }
          raise View::NoDataError.new(:no_arm)
        end
        Compare::SettingGroups.new(settings, fact).pick(values)
      end

      # @param planned_s [Integer, nil] nil: the experiment is over, and this is the only look
      # @return [Result]
      def experiment(picked, planned_s: nil)
        settings = picked.sides.values
        covered_s = settings.map { |some| @source.covered_s(some) }.min
        schedule = LookSchedule.of(planned_s || covered_s,
          shortest_s: @source.window_s, looks: planned_s ? nil : 1)
        sides = picked.sides.map { |label, some| @source.side(label, some, step_s: schedule.block_s) }
        equals = picked.sides.filter_map { |label, some| equal_arms(label, some, schedule.block_s) }
        Result.new(*sides, schedule:, equals:, to_s: @to_s, over: planned_s.nil?)
      end

      # The result of arms that take turns: a cycle is a block, and the A/A phase is the check.
      # @param plan [ExperimentPlan]
      # @return [Result]
      # @raise [Error] the A/A phase is not over
      def in_turns(plan)
        turns = plan.turns
        sides = arms_of(plan, :different) or raise not_yet(plan)
        equal = arms_of(plan, :equal)
        equals = equal ? [Result::EqualArms.new(label: plan.id, sides: equal)] : []
        schedule = LookSchedule.of_blocks(turns.cycles, block_s: turns.cycle_s)
        Result.new(*sides, schedule:, equals:, to_s: @to_s, over: @to_s >= turns.ends_s,
          planned_equality: true)
      end

      # The outlook starts from the setting with most units. Arms that already run are different settings,
      # also where only their name differs.
      # @return [ExperimentOutlook, nil] nil without any units
      def outlook
        setting, = @source.settings.max_by { |_, units| units }
        return unless setting
        settings = [setting]
        covered_s = @source.covered_s(settings)
        by_process = by_process(settings, covered_s)
        sides, blocks = by_process || by_turn(settings, covered_s)
        outlook_of(sides, blocks, by_process ? :processes : :turns, rate: @source.rate(setting))
      end

      private

      # @return [Array<Compare::Side>, nil] nil until both were measured
      def arms_of(plan, phase)
        groups = Compare::SettingGroups.new(@source.settings, Setting::LABEL).to_h
        found = plan.arms(phase).map { |arm| groups[arm] }
        return if found.any?(&:nil?)
        found.zip(plan.arms(phase)).map do |settings, arm|
          @source.side(arm, settings, step_s: plan.turns.cycle_s)
        end
      end

      def not_yet(plan)
        from = Time.at(plan.turns.changes_s).utc.strftime("%H:%M UTC")
        turn = Queries::OptionValues.length(plan.turns.turn_s)
        View::NoDataError.new(:arms_unmeasured, id: plan.id, from:, turn:)
      end

      def equal_arms(label, settings, step_s)
        sides = @source.process_halves(label, settings, step_s:)
        sides && Result::EqualArms.new(label:, sides:)
      end

      def by_process(settings, covered_s)
        block_s = LookSchedule.of(covered_s, shortest_s: @source.window_s).block_s
        sides = @source.process_halves("", settings, step_s: block_s) or return
        [sides, Result::ArmBlocks.new(sides, length_s: block_s, until_s: @to_s)]
      end

      # Turns as those of an experiment in which both arms have the same setting.
      def by_turn(settings, covered_s)
        turn_s = TURNS_S.reverse.find { |seconds| 2 * seconds * ENOUGH_TURNS <= covered_s } || TURNS_S.first
        turn_s = [turn_s, @source.window_s].max
        side = @source.side("", settings)
        first_s = side.windows.map(&:start_s).min || 0
        turns = Switchback.after(first_s, turn_s:, settle_s: 0,
          cycles: (@to_s - first_s) / (2 * turn_s))
        sides = turns.split(side.windows).map { |windows| side_of(windows, side) }
        [sides, Result::ArmBlocks.new(sides, length_s: turns.cycle_s, until_s: @to_s)]
      end

      def side_of(windows, side)
        kind = windows.first&.series&.kind
        Compare::Side.new(label: "", windows:, from_s: side.from_s, to_s: side.to_s,
          filter: Analysis::UnitFilter.new(kind:))
      end

      def outlook_of(sides, blocks, basis, rate:)
        block_s = blocks.length_s
        schedule = LookSchedule.new(block_s:, blocks: blocks.size, looks: 1)
        equals = [Result::EqualArms.new(label: "", sides:)]
        experiment = Result.new(*sides, schedule:, equals:, to_s: @to_s, over: true)
        outcomes = experiment.outcomes
        effects = (outcomes & Result::EQUAL_OUTCOMES).map do |metric|
          estimate = experiment.comparison.estimate(metric)
          LookSchedule::DetectableEffect.new(estimate, blocks:, outcomes: outcomes.size)
        end
        ExperimentOutlook.new(effects:, basis:, block_s:, equality: experiment.equality.first, rate:)
      end
    end
  end
end
