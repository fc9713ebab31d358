# frozen_string_literal: true

module Holdup
  module Advice
    # Units that wait for a thread longer than they stall: then capacity is missing, and fewer threads would
    # make it worse, whatever the stall.
    module CapacityMissing
      TIMES = 2
      SEEN = 0.1

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        queued, stalled, wall = %i[queued stalled wall].map { |key|
          situation.total.histogram(key).quantile(0.95).to_i
        }
        unless situation.summary.unit_kind == :request && queued >= TIMES * stalled && queued >= SEEN * wall && queued.positive?
          return
        end
        return if fewer?(situation)
        Finding.new(rule: :queue_larger, remedy: :setting, weight: queued.fdiv(queued + wall), **more(situation),
          facts: {queued_ns: queued, stalled_ns: stalled, wall_ns: wall, query: "report"})
      end

      # Where a replay found that less is better, it knows more than the queue tells.
      def fewer?(situation)
        return false unless situation.change?
        now = situation.recommendation.now
        best = situation.recommendation.best.candidate
        best.slots < now.slots
      end

      # One process more is the smallest step, unless more are advised.
      def more(situation)
        return {} unless situation.sized?
        processes = situation.processes(nil) || situation.recommendation.now.processes + 1
        return situation.effect(processes:) if situation.keep?
        {change: situation.levers.change("processes", processes), **situation.effect(processes:)}
      end
      private_class_method :fewer?, :more
    end
  end
end
