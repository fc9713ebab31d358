# frozen_string_literal: true

require "time"
require_relative "../../hooks/method_hook"
require_relative "../../model/quantities"
require_relative "own_jobs"

module Holdup
  module Servers
    # Resque: a worker takes one job at a time, and runs each in a child that it forks for it (unless
    # FORK_PER_JOB is false). The worker is measured for its backlog and its memory, its children for their
    # jobs: each has a small segment of its own, closed before the child leaves by `exit!`, which runs no
    # later hook.
    class Resque
      extend Adapter
      include OwnJobs

      AWAITS = %w[Resque::Worker].freeze
      # A child has the title that its worker had when it was forked.
      PROCESSES = {worker: /\Aresque-\S+: Processing /, alone: /\Aresque-\d/}.freeze
      NAME = "resque"
      TASKS = %w[resque:work resque:workers].freeze
      # Resque::Worker has no method for a second job meanwhile.
      FIXED = :resque
      # The queue of a job that runs where it is enqueued (Resque.inline).
      INLINE = :inline

      class << self
        def here?
          !!defined?(::Rake.application) && ::Rake.application.top_level_tasks.intersect?(TASKS)
        end

        def jobs? = true

        def own_queue(queue) = {write: "QUEUE=#{queue} rake resque:work", how: :own_queue}
      end

      def install
        return if Hooks::Callbacks.installed?(::Resque::Worker, :resque)
        callbacks = {
          before: {perform: ->(*) { forked }, working_on: ->(*) { @works = true }},
          after: {startup: ->(worker) { serving(worker) }, perform: ->(*) { leave_child },
                  done_working: ->(*) { @works = false }, work: ->(*) { finished }}
        }
        Hooks::Callbacks.install(::Resque::Worker, by: :resque, guard: @runtime.guard, **callbacks)
        Hooks::WhenLoaded.call(::Resque::Job, :resque, @runtime.guard) { hook_jobs }
      end

      # Runs in the worker, before its first job.
      def serving(worker)
        guard do
          @pid = Process.pid
          follow_backlog(QueueLengths.new) { worker.queues }
          @runtime.expect_brief_forks if worker.fork_per_job?
          @runtime.serve(@identity = identity(worker))
          @runtime.start_collector # also of a daemon, which is a fork
        end
      end

      # A child that runs several jobs (resque-multi-job-forks) has left after the first.
      def forked
        guard { @runtime.serve(@identity.forked) if child? && !@runtime.running? }
      end

      # The child's job is over. Its figures are in its segment: it may end in any way.
      def leave_child
        guard { @runtime.leave(NAME) if child? }
      end

      private

      def child? = !@pid.nil? && @pid != Process.pid

      def hook_jobs
        constants = {HoldupResque: self}
        Hooks::MethodHook.new(::Resque::Job, :perform, by: :resque, constants:) do |method|
          "HoldupResque.measure(self) { #{method.call} }"
        end.install(@runtime.guard)
      end

      # Resque keeps no time with a job, so its queue time is unknown.
      def run(job)
        queue = job.queue.to_s unless job.queue == INLINE
        new_run(nil, job.payload["class"].to_s, queue)
      end

      def identity(worker)
        queues = worker.id.split(":", 3).last
        levers = levers(queues)
        Identity.new(
          name: NAME,
          facts: {"jobs" => NAME, "jobs_version" => ::Resque::VERSION, "job_threads" => 1,
                  "job_queues" => queues, "job_fork" => worker.fork_per_job?},
          pools: -> { [pool(queues, max: 1, busy: @works ? 1 : 0)] },
          pool_of: ->(_queue) { pool_name(queues) },
          levers: -> { levers },
          fixed: FIXED
        )
      end

      def levers(queues)
        [
          Lever.new(name: "processes", value: nil, write: "COUNT=N rake resque:workers",
            how: :resque_processes),
          Lever.new(name: "queues", value: queues, write: "QUEUE=mails,urgent rake resque:work")
        ]
      end
    end

    class Resque
      # The lists in Redis: the length of each (O(1)), and the job that is taken next. Active Job says there
      # since when that waits.
      class QueueLengths
        # @param queues [Array<String>]
        # @return [Hash{String => JobBacklog::WaitingJobs}]
        def call(queues, now_s:)
          queues.first(JobBacklog::MOST_QUEUES).to_h do |queue|
            size = ::Resque.size(queue)
            oldest_ns = size.zero? ? 0 : age_ns(::Resque.peek(queue), now_s)
            [queue, JobBacklog::WaitingJobs.new(size:, oldest_ns:)]
          end
        end

        private

        def age_ns(job, now_s)
          argument = job["args"].first if job
          enqueued = argument["enqueued_at"] if argument.is_a?(Hash)
          [((now_s - Time.iso8601(enqueued).to_f) * NS).round, 0].max if enqueued
        rescue ArgumentError
          nil
        end
      end
    end
  end
end
