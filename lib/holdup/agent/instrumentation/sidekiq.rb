# frozen_string_literal: true

module Holdup
  module Instrumentation
    # Sidekiq's outermost server middleware: each run of a job is one unit, retries included. Sidekiq creates
    # one for each job.
    class Sidekiq
      CAPSULE = :sidekiq_capsule
      NS_PER_S = 1_000_000_000
      NS_PER_MS = 1_000_000
      # Sidekiq 7 writes float seconds, 8 integer milliseconds, and each reads the other's jobs: as seconds
      # this is the year 5138, as milliseconds 1973.
      MILLISECONDS_FROM = 100_000_000_000

      # Sidekiq sets this time when a job enters its queue, also for a retry; not for perform_inline.
      # @return [Integer, nil] ns since 1970
      def self.ready_ns(enqueued_at)
        return unless enqueued_at.is_a?(Numeric)
        unit_ns = (enqueued_at < MILLISECONDS_FROM) ? NS_PER_S : NS_PER_MS
        (enqueued_at * unit_ns).to_i
      end

      # @param runs [SidekiqRuns]
      def initialize(runs)
        @runs = runs
      end

      # @return [Object] the block's value; its exception goes on untouched
      def call(_instance, job, queue, &)
        @runs.measure(job, queue, &)
      end
    end

    # The runs that Sidekiq's middleware measures, for all of its objects.
    class SidekiqRuns
      # @param jobs [JobUnits]
      # @param harmless [Array<Class>] exceptions that are not failures
      # @param pools [Hash] capsule => name of its pool
      def initialize(jobs, harmless, pools = {})
        @jobs = jobs
        @harmless = harmless
        @pools = pools
      end

      def measure(job, queue, &)
        run = run(job, queue) if @jobs.on?
        @jobs.measure(run, &)
      end

      private

      # Sidekiq sets the capsule on each of its threads.
      def run(job, queue)
        wrapped = job["wrapped"]
        name = job["display_class"] || wrapped || job["class"]
        run = @jobs.run(wrapped ? id_of_wrapped(job) : job["jid"], name.to_s, queue)
        run.ready_ns = Sidekiq.ready_ns(job["enqueued_at"])
        run.pool = @pools[Thread.current[Sidekiq::CAPSULE]]
        run.harmless = @harmless
        run
      rescue *Guard::FAILURES => error
        @jobs.unreadable(error)
      end

      # Active Job's callback recognises the run by its own id.
      def id_of_wrapped(job)
        inner = job["args"]&.first
        (inner.is_a?(Hash) && inner["job_id"]) || job["jid"]
      end
    end
  end
end
