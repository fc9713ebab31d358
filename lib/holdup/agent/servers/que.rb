# frozen_string_literal: true

require "time"
require_relative "../../model/quantities"
require_relative "own_jobs"

module Holdup
  module Servers
    # Que 2: a locker takes jobs out of PostgreSQL for the worker threads of its process. It is usually the
    # command `que`, or runs in another process that makes one.
    class Que
      extend Adapter
      include OwnJobs

      AWAITS = %w[Que::Locker].freeze
      PROCESSES = {programs: %w[que]}.freeze
      NAME = "que"
      # Que::Locker makes its worker threads in `initialize`, and has no method that adds one.
      FIXED = :que

      class << self
        def here?(program: $PROGRAM_NAME) = File.basename(program) == NAME

        def jobs? = true

        def own_queue(queue) = {write: "bundle exec que -q #{queue} -w 1", how: :own_queue}
      end

      # A locker has its threads and has taken no job when its loop begins.
      def install
        return if Hooks::Callbacks.installed?(::Que::Locker, :que)
        Hooks::Callbacks.install(::Que::Locker, by: :que, guard: @runtime.guard,
          before: {work_loop: ->(locker) { serving(locker) }}, after: {wait_for_stop: ->(*) { finished }})
        Hooks::WhenLoaded.call(::Que::Locker, :que, @runtime.guard) { ::Que.job_middleware.unshift(self) }
      end

      def serving(locker)
        guard do
          follow_backlog(UnlockedJobs.new) { locker.queues.keys }
          @runtime.serve(identity(locker))
          @runtime.start_collector
        end
      end

      # Que's outermost middleware. Que keeps an exception in the job.
      # @param job [Que::Job]
      def call(job)
        measure(job) do |run|
          yield
          run.failed if run && job.que_error
        end
      end

      private

      def run(job)
        facts = job.que_attrs
        run = new_run(facts[:id], job.class.name.to_s, facts[:queue]) or return
        run.ready_ns = ready_ns(facts[:run_at])
        run.priority = facts[:priority]
        run
      end

      # @param due [Time, String, nil] nil: it runs where it is enqueued
      def ready_ns(due)
        due = Time.iso8601(due) if due.is_a?(String)
        due.to_i * NS + due.nsec if due
      end

      def identity(locker)
        queues = locker.queues.keys.join(",")
        threads = locker.workers.size
        levers = levers(threads)
        Identity.new(
          name: NAME,
          facts: {"jobs" => NAME, "jobs_version" => ::Que::VERSION, "job_threads" => threads,
                  "job_queues" => queues},
          pools: -> { [with_buffer(pool(queues, max: threads, busy: busy(locker, threads)), locker)] },
          pool_of: ->(_queue) { pool_name(queues) },
          levers: -> { levers },
          fixed: FIXED
        )
      end

      def busy(locker, threads) = [threads - locker.job_buffer.waiting_count, 0].max

      # The locker has taken some jobs out of the table that no thread has taken yet.
      def with_buffer(pool, locker)
        return pool unless pool.backlog
        taken = locker.job_buffer.to_a
        now_ns = @jobs.clock.realtime_ns
        ages = taken.map { |metajob| now_ns - ready_ns(metajob.job[:run_at]) }
        pool.with(backlog: pool.backlog + taken.size, oldest_ns: [pool.oldest_ns, *ages].max)
      end

      def levers(threads)
        [
          Lever.new(name: "threads", value: threads, write: "que --worker-count N", how: :restart),
          Lever.new(name: "processes", value: nil, how: :start_processes)
        ]
      end
    end

    class Que
      # The table of jobs, in the order of the index by which lockers take them. Lockers mark what they have
      # taken by advisory locks, which have the jobs' ids.
      class UnlockedJobs
        STATEMENT = <<~SQL
          SELECT COUNT(*) AS size,
            floor(extract(epoch FROM now() - MIN(run_at)) * 1000000)::bigint AS oldest_us
          FROM (
            SELECT run_at FROM que_jobs
            WHERE queue = $1 AND finished_at IS NULL AND expired_at IS NULL AND run_at <= now()
              AND id NOT IN (
                SELECT (classid::bigint << 32) + objid::bigint FROM pg_locks WHERE locktype = 'advisory'
              )
            ORDER BY priority, run_at, id
            LIMIT #{JobBacklog::MOST_JOBS}
          ) waiting
        SQL

        # @param queues [Array<String>]
        # @return [Hash{String => JobBacklog::WaitingJobs}]
        def call(queues, now_s:)
          ::Que.transaction do
            ::Que.execute("SET LOCAL statement_timeout = #{JobBacklog::STATEMENT_MS}")
            queues.first(JobBacklog::MOST_QUEUES).to_h { |queue| [queue, ask(queue)] }
          end
        end

        private

        def ask(queue)
          size, oldest_us = ::Que.execute(STATEMENT, [queue]).first.values_at(:size, :oldest_us)
          JobBacklog::WaitingJobs.new(size:, oldest_ns: [oldest_us.to_i, 0].max * 1_000)
        end
      end
    end
  end
end
