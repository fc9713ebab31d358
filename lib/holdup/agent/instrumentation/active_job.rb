# frozen_string_literal: true

module Holdup
  module Instrumentation
    # Active Job's outermost callback: each run is one unit, with any adapter. It recognises by its id a run
    # that the adapter's own middleware (Sidekiq's) measures already. A job that a request or another job runs
    # itself (`perform_now`, the inline adapters) is a unit inside it.
    #
    # It runs inside `retry_on` and `discard_on`, so a run that they rescue counts as a failure.
    #
    #   Holdup::Instrumentation::ActiveJob.install(ActiveJob::Base, Holdup.jobs)
    #
    # In Rails the Railtie does it.
    class ActiveJob
      NS_PER_S = 1_000_000_000
      # GoodJob raises it to put back a job that may not run yet: not a failure.
      POSTPONED = "GoodJob::ActiveJobExtensions::Concurrency::ConcurrencyExceededError"

      def self.install(base, jobs)
        base.around_perform(new(jobs), prepend: true)
      end

      def initialize(jobs)
        @jobs = jobs
      end

      # Active Job calls it by this name.
      # @return [Object] the block's value; its exception goes on untouched
      def around(job, &)
        run = run(job) if @jobs.on?
        @jobs.measure(run, &)
      end

      private

      def run(job)
        name = job.class.name.to_s
        run = @jobs.run(job.job_id, name, job.queue_name)
        run.ready_ns = ready_ns(job)
        run.priority = job.priority
        run.harmless = harmless
        run
      rescue *Guard::FAILURES => error
        @jobs.unreadable(error)
      end

      # Only a job from a queue was ever enqueued.
      def ready_ns(job)
        enqueued = nanoseconds(job.enqueued_at)
        return unless enqueued
        [enqueued, nanoseconds(job.scheduled_at) || 0].max
      end

      # Rails 7.0 keeps these times as text.
      def nanoseconds(time)
        time = Time.iso8601(time) if time.is_a?(String)
        time.to_i * NS_PER_S + time.nsec if time.respond_to?(:nsec)
      end

      def harmless
        return @harmless if @harmless
        known = Object.const_defined?(POSTPONED) ? [Object.const_get(POSTPONED)] : []
        @harmless = known.freeze
      end
    end
  end
end
