# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # Another number of processes on a host, where the recommendation says so.
    module ProcessCount
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.change?
        now, best = situation.recommendation.current, situation.recommendation.best
        return if now.candidate.processes == best.candidate.processes
        Finding.new(rule: :process_count, remedy: :setting, facts: {now: now.candidate.processes, best: best.candidate.processes, memory_bytes: best.memory_bytes},
          **situation.levers.change("processes", best.candidate.processes), **situation.effect(processes: best.candidate.processes))
      end
    end
  end
end
