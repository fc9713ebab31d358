# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # Another number of threads for jobs: enough to keep the GVL in use, and no more, for the others only stall. Where a
    # process has several groups of threads (capsules, workers) they share its GVL, so it is about their sum, and the one to turn
    # is the group that was asked about, else the one that is busiest.
    module JobConcurrency
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.change? && situation.jobs?
        now, best = situation.recommendation.current, situation.recommendation.best
        return if now.candidate.threads == best.candidate.threads
        Finding.new(rule: :job_concurrency, remedy: :setting, weight: 1.0, change: change(situation, best.candidate.threads), **gain(situation.recommendation),
          facts: {**figures(now, best), groups: groups(situation), group: named(situation), query: "whatif --kind job --threads #{best.candidate.threads}"})
      end

      def figures(now, best) = {now: now.candidate.threads, best: best.candidate.threads, ceiling_rate: best.ceiling, now_rate: now.ceiling}

      def gain(recommendation) = {gain: recommendation.gain, interval: recommendation.interval, measure: recommendation.objective.name}

      def change(situation, threads)
        mine = [threads - others(situation), 1].max
        name = named(situation)
        situation.levers.change("concurrency #{name}", "threads (#{name})", "concurrency", "threads", mine)
      end

      # Threads of the other groups.
      def others(situation)
        replayed = situation.recommendation.now.beside
        replayed.any? ? replayed.sum : pools(situation).drop(1).sum { |pool| pool.max.to_i }
      end

      def groups(situation) = [pools(situation).size, 1].max

      # Without the queues that are in it.
      def named(situation) = (situation.recommendation.recording.pools.names.first || pools(situation).first&.name || situation.pool).to_s.sub(/ \(.*\z/, "")

      # The one that was asked about, then the busiest.
      def pools(situation)
        situation.summary.processes.pools.reject { |pool| pool.name == Analysis::Processes::WEB }
          .sort_by { |pool| [(pool.name == situation.pool) ? 0 : 1, -pool.busy.to_f] }
      end
      private_class_method :figures, :gain, :change, :groups, :named, :pools
    end
  end
end
