# frozen_string_literal: true

require_relative "../../base"
return unless File.expand_path("../..", __dir__) == Holdup::FOLDER # another copy is loaded

require_relative "clock_step"
require_relative "job_name"
require_relative "../../model/quantities"

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
      # GoodJob raises it to put back a job that may not run yet: not a failure.
      POSTPONED = "GoodJob::ActiveJobExtensions::Concurrency::ConcurrencyExceededError"

      # @param idle [#call, nil] takes a job before it runs while nothing is measured
      def self.install(base, jobs, idle: nil)
        base.around_perform(new(jobs, idle:), prepend: true)
      end

      def initialize(jobs, idle: nil)
        @jobs = jobs
        @enqueuing = ClockStep.new
        @names = JobName.new
        @idle = idle
      end

      # Active Job calls it by this name.
      # @return [Object] the block's value; its exception goes on untouched
      def around(job, &)
        @idle.call(job) if @idle && !@jobs.on?
        run = run(job) if @jobs.on?
        @jobs.measure(run, instead_of: job.class.name, &)
      end

      private

      def run(job)
        run = @jobs.run(job.job_id, @names.call(job), job.queue_name)
        run.ready_ns = ready_ns(job)
        run.priority = job.priority
        run.harmless = harmless
        run
      rescue *Guard::FAILURES => error
        @jobs.unreadable(error)
      end

      # Only a job from a queue was ever enqueued. Rails before 7.1 and some adapters keep that time in whole
      # seconds; a later time that the application has chosen is exact.
      def ready_ns(job)
        enqueued = nanoseconds(job.enqueued_at)
        return unless enqueued
        scheduled = nanoseconds(job.scheduled_at)
        return scheduled if scheduled && scheduled > enqueued
        waited = @jobs.clock.realtime_ns - enqueued
        enqueued if @enqueuing.fine_enough?(enqueued, waited)
      end

      # Rails 7.0 keeps these times as text.
      def nanoseconds(time)
        time = Time.iso8601(time) if time.is_a?(String)
        time.to_i * NS + time.nsec if time.respond_to?(:nsec)
      end

      def harmless
        return @harmless if @harmless
        known = Object.const_defined?(POSTPONED) ? [Object.const_get(POSTPONED)] : []
        @harmless = known.freeze
      end
    end
  end
end
