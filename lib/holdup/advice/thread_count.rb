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
        now, best = situation.recommendation.current.candidate, situation.recommendation.best.candidate
        return if now.threads == best.threads
        Finding.new(rule: :thread_count, remedy: :setting, facts: {now: now.threads, best: best.threads, fewer: best.threads < now.threads},
          **situation.levers.change("threads", best.threads), **situation.effect(threads: best.threads))
      end
    end
  end
end
