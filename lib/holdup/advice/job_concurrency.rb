# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # Another number of threads for jobs: enough to keep the GVL in use, and no more, for the others only stall. Where a
    # process has several groups of threads (capsules, workers) they share its GVL, so it is about their sum, and the group that
    # is busiest is the one to turn.
    module JobConcurrency
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.change? && situation.jobs?
        now, best = situation.recommendation.current, situation.recommendation.best
        return if now.candidate.threads == best.candidate.threads
        Finding.new(rule: :job_concurrency, remedy: :setting, weight: 1.0, change: change(situation, best.candidate.threads), **gain(situation.recommendation),
          facts: {now: now.candidate.threads, best: best.candidate.threads, ceiling_rate: best.ceiling, now_rate: now.ceiling, groups: groups(situation),
                  query: "whatif --kind job --threads #{best.candidate.threads}"})
      end

      def gain(recommendation) = {gain: recommendation.gain, interval: recommendation.interval, measure: recommendation.objective.name}

      def change(situation, threads)
        busiest, *rest = pools(situation)
        mine = [threads - rest.sum { |pool| pool.max.to_i }, 1].max
        name = busiest&.name.to_s.sub(/ \(.*\z/, "")
        situation.levers.change("concurrency #{name}", "threads (#{name})", "concurrency", "threads", mine)
      end

      def groups(situation) = [pools(situation).size, 1].max

      # Busiest first.
      def pools(situation) = situation.summary.processes.pools.select { |pool| pool.name != Analysis::Processes::WEB }.sort_by { |pool| -pool.busy.to_f }
    end
  end
end
