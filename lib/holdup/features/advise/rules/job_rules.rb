# frozen_string_literal: true

module Holdup
  module Advise
    module Rules
      module JobRules
        # Another number of threads for jobs: enough to keep the GVL in use; further threads only stall.
        # Groups of threads in a process (capsules, workers) share its GVL, so the rule judges their sum and
        # changes the group that was asked about, else the busiest.
        module JobConcurrency
          module_function

          def call(situation)
            return unless situation.change? && situation.jobs?
            now = situation.recommendation.current
            best = situation.recommendation.best
            return if now.candidate.threads == best.candidate.threads
            query = situation.query("whatif --threads #{best.candidate.own_threads}")
            facts = {**figures(now, best), groups: groups(situation), group: group_name(situation), query:}
            Finding.new(rule: :job_concurrency, remedy: :jobs, weight: 1.0, facts:,
              change: change(situation, best.candidate.threads), **gain(situation.recommendation))
          end

          def figures(now, best)
            {now: now.candidate.own_threads, best: best.candidate.own_threads,
             ceiling_rate: best.ceiling, now_rate: now.ceiling}
          end

          def gain(recommendation)
            {gain: recommendation.gain, interval: recommendation.interval,
             measure: recommendation.objective.name}
          end

          def change(situation, threads)
            situation.levers.change(*levers(situation), [threads - other_threads(situation), 1].max)
          end

          # Sidekiq names levers by capsule, Solid Queue and GoodJob by queues, or by themselves if Puma has a
          # lever of that name too. A lever of the whole process sets only the default group among several.
          def levers(situation)
            name = group_name(situation).delete_prefix("queues ")
            if groups(situation) == 1 || name == "default"
              whole_process = ["concurrency", "threads (#{situation.fact("jobs")})", "threads"]
            end
            ["concurrency #{name}", "threads (#{name})", *whole_process]
          end

          def other_threads(situation)
            replayed = situation.recommendation.now.other_threads
            return replayed.sum if replayed.any?
            pools(situation).drop(1).sum { |pool| pool.max.to_i }
          end

          def groups(situation)
            known = situation.recommendation.recording.pools
            [known.names.size - known.concurrent_threads.size, pools(situation).size, 1].max
          end

          # The name leaves out the queues that it lists in parentheses.
          def group_name(situation)
            sized = situation.recommendation.recording.pools.names.first
            name = sized || pools(situation).first&.name || situation.pool
            name.to_s.sub(/ \(.*\z/, "")
          end

          # The one that was asked about, then the busiest.
          def pools(situation)
            pools = situation.summary.processes.pools
            of_jobs = pools.reject { |pool| pool.name == Analysis::ProcessReport::WEB }
            of_jobs.sort_by { |pool| [(pool.name == situation.pool) ? 0 : 1, -pool.busy.to_f] }
          end
          private_class_method :figures, :gain, :change, :levers, :other_threads, :groups, :group_name, :pools
        end

        # Jobs of one class stall all others of the process. The replay adds one process with one thread.
        module SplitQueue
          # Share of the stall that few of the jobs cause.
          CAUSED = 0.5
          RARE = 0.25
          STALLED = 0.1

          module_function

          def call(situation)
            return unless situation.jobs? && situation.total.split.share(:stalled) >= STALLED
            blame = situation.summary.blame
            cause = blame.series.first
            return unless cause && dominates?(blame, cause)
            share = blame.caused_share(cause)
            facts = {name: cause.name, queue: cause.queue.to_s, caused_share: share,
                     count_share: cause.count.fdiv(blame.count), query: "report --kind job --by queue"}
            own_pool = Sizing::WhatIf::OwnPool.new(name: situation.literal(cause.name), threads: 1)
            Finding.new(rule: :queue_split, remedy: :jobs, facts:,
              change: OwnQueue.new(situation.fact("jobs"), cause.name).change,
              weight: share * situation.total.split.share(:stalled), **situation.effect(own_pool:))
          end

          def dominates?(blame, cause)
            blame.series.size > 1 && blame.caused_share(cause) >= CAUSED && cause.count <= RARE * blame.count
          end
          private_class_method :dominates?
        end

        # A queue for one class of jobs and a process that takes only that queue.
        class OwnQueue
          # @param runner [String] the fact `jobs` of a setting
          def initialize(runner, job)
            @runner = runner
            @job = job
          end

          # @return [Finding::ProposedChange, nil] nil for an unknown runner
          def change
            own = Servers::ADAPTERS[@runner]&.own_queue(queue) or return
            Finding::ProposedChange.new(new: own.fetch(:write), how: own.fetch(:how),
              facts: {"queue" => queue, "job" => @job})
          end

          # @return [String] "ReportJob" => "report"
          def queue
            name = @job.gsub(/([a-z\d])([A-Z])/, '\1_\2').downcase.gsub(/[^a-z\d]+/, "_")
            name.sub(/_(job|worker)\z/, "")
          end
        end
      end
    end
  end
end
