# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # Another number of threads for jobs: enough to keep the GVL in use, and no more, for the others only stall.
    module JobConcurrency
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.change? && situation.jobs?
        now, best = situation.recommendation.current, situation.recommendation.best
        return if now.candidate.threads == best.candidate.threads
        Finding.new(rule: :job_concurrency, remedy: :setting, gain: situation.recommendation.gain, weight: 1.0,
          facts: {now: now.candidate.threads, best: best.candidate.threads, ceiling_rate: best.ceiling, now_rate: now.ceiling},
          **situation.levers.change("concurrency", "threads", best.candidate.threads))
      end
    end
  end
end
