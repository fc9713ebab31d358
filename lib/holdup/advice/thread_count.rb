# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # Another number of threads per process, where the recommendation says so.
    module ThreadCount
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.change? && !situation.jobs?
        now, best = situation.recommendation.current.candidate.threads, situation.recommendation.best.candidate.threads
        return if now == best
        Finding.new(rule: :thread_count, remedy: :setting, change: situation.levers.change("threads", best),
          **situation.evident({now:, best:}, query: "whatif --threads #{best}", threads: best))
      end
    end
  end
end
