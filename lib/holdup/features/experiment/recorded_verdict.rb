# frozen_string_literal: true

module Holdup
  module Experiment
    # The answer of an experiment as the autopilot records it, for the log, the audit log and pages in any
    # language: a key with facts.
    module RecordedVerdict
      # @param experiment [Result]
      # @return [ChangeReason, nil] nil: there is no answer yet
      def self.of(experiment)
        answer = experiment.answer
        case answer.key
        when :running then nil
        when :invalid then invalid(experiment)
        when :none then ChangeReason.of(:judged_none, visible: visible(experiment))
        else ChangeReason.of(:"judged_#{answer.key}", moved: moved(answer.moved, experiment.level))
        end
      end

      def self.invalid(experiment)
        reason = experiment.answer.reason
        ChangeReason.of(:"judged_#{reason}", **invalid_facts(reason, experiment))
      end

      def self.invalid_facts(reason, experiment)
        case reason
        when :deploy then {revisions: experiment.revisions.join(", ")}
        when :too_little
          control, candidate = experiment.sides.map(&:units)
          {blocks: experiment.blocks.size, control:, candidate:}
        when :unequal
          unequal = experiment.equality.select { |result| result.key == :unequal }
          {moved: moved(unequal.flat_map(&:moved), experiment.level)}
        when :unchecked then {least: LookSchedule::FEWEST}
        else {}
        end
      end

      def self.moved(estimates, level)
        cells = Compare::Report::Cells.new(View::Words.new)
        estimates.map do |estimate|
          change = cells.change(estimate.relative)
          change = cells.signed(estimate.metric, estimate.difference) unless estimate.relative?
          figure(estimate, change:, interval: cells.interval(estimate, level))
        end
      end

      def self.visible(experiment)
        cells = Compare::Report::Cells.new(View::Words.new)
        experiment.estimates.filter_map do |estimate|
          share = estimate.visible(experiment.level) or next
          figure(estimate, change: cells.visible(share))
        end
      end

      def self.figure(estimate, **said)
        ChangeReason::JudgedFigure.new(name: estimate.metric.name.to_s, **said)
      end
      private_class_method :invalid, :invalid_facts, :moved, :visible, :figure
    end
  end
end
