# frozen_string_literal: true

require_relative "job_units"

module Holdup
  module Instrumentation
    # Sidekiq's outermost server middleware: each run of a job is one unit, retries included.
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

      # Sidekiq asks for a new one for each job: all jobs have the same.
      # @return [SidekiqRuns]
      def self.new(runs) = runs
    end

    # Measures the runs. `begin_job` is in C (ext/holdup/unit/job_edges.c); a job that is unusual goes the way
    # of all runners' jobs.
    class SidekiqRuns
      include Probe::JobStarts

      # @param jobs [JobUnits]
      # @param harmless [Array<Class>] exceptions that are not failures
      # @param pools [Hash] capsule => name of its pool
      def initialize(jobs, harmless, pools = {})
        @jobs = jobs
        @recorder = jobs.recorder
        @probe = @recorder.probe
        @clock = jobs.clock
        @harmless = harmless
        @pools = pools
      end

      # A block as parameter would cost each job as much as one more method.
      # @return [Object] the block's value; its exception goes on untouched
      def call(_instance, job, queue)
        unit = begin_job(job, queue)
        return measure(job, queue) { yield } unless unit
        earlier = $!
        begin
          value = yield
          done = true
          value
        ensure
          unit.failed if !done && @jobs.failure?(earlier, @harmless)
          unit.finish
        end
      end

      private

      def measure(job, queue, &)
        run = run(job, queue) if @jobs.on?
        @jobs.measure(run, &)
      end

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
