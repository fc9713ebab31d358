# frozen_string_literal: true

module Holdup
  module Advice
    # Another number of threads for jobs: enough to keep the GVL in use, and no more, for the others only
    # stall. Where a process has several groups of threads (capsules, workers) they share its GVL, so it is
    # about their sum, and the one to turn is the group that was asked about, else the one that is busiest.
    module JobConcurrency
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.change? && situation.jobs?
        now = situation.recommendation.current
        best = situation.recommendation.best
        return if now.candidate.threads == best.candidate.threads
        Finding.new(rule: :job_concurrency, remedy: :jobs, weight: 1.0, change: change(situation, best.candidate.threads), **gain(situation.recommendation),
          facts: {**figures(now, best), groups: groups(situation), group: named(situation), query: situation.query("whatif --threads #{best.candidate.own_threads}")})
      end

      def figures(now, best)
        {now: now.candidate.own_threads, best: best.candidate.own_threads, ceiling_rate: best.ceiling,
         now_rate: now.ceiling}
      end

      def gain(recommendation)
        {gain: recommendation.gain, interval: recommendation.interval, measure: recommendation.objective.name}
      end

      def change(situation, threads)
        situation.levers.change(*levers(situation), [threads - others(situation), 1].max)
      end

      # Sidekiq names them by capsule, Solid Queue and GoodJob by queues, or by themselves where Puma has such
      # a lever too. The lever of a whole process is none of one group among several, unless that is the
      # default one.
      def levers(situation)
        name = named(situation).delete_prefix("queues ")
        if groups(situation) == 1 || name == "default"
          of_all = ["concurrency", "threads (#{situation.fact("jobs")})", "threads"]
        end
        ["concurrency #{name}", "threads (#{name})", *of_all]
      end

      # Threads of the other groups.
      def others(situation)
        replayed = situation.recommendation.now.beside
        replayed.any? ? replayed.sum : pools(situation).drop(1).sum { |pool| pool.max.to_i }
      end

      def groups(situation)
        [situation.recommendation.recording.pools.then { |known| known.names.size - known.company.size },
          pools(situation).size, 1].max
      end

      # Without the queues that are in it.
      def named(situation)
        (situation.recommendation.recording.pools.names.first || pools(situation).first&.name || situation.pool).to_s.sub(
          / \(.*\z/, ""
        )
      end

      # The one that was asked about, then the busiest.
      def pools(situation)
        situation.summary.processes.pools.reject { |pool| pool.name == Analysis::ProcessReport::WEB }
          .sort_by { |pool| [(pool.name == situation.pool) ? 0 : 1, -pool.busy.to_f] }
      end
      private_class_method :figures, :gain, :change, :levers, :groups, :named, :pools
    end
  end
end
