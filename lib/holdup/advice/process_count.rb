# frozen_string_literal: true

module Holdup
  module Advice
    # Another number of processes on a host, where the recommendation says so.
    module ProcessCount
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.change?
        now = situation.recommendation.current.candidate.processes
        best = situation.recommendation.best.candidate.processes
        return if now == best
        Finding.new(rule: :process_count, remedy: :setting, change: situation.levers.change("processes", best),
          **situation.evident({now:, best:, memory_bytes: situation.recommendation.best.memory_bytes}, query: "whatif --processes #{best}", processes: best), limits: [])
      end
    end
  end
end
