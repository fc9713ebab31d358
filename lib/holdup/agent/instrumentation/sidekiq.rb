# frozen_string_literal: true

require_relative "job_units"

module Holdup
  module Instrumentation
    # Sidekiq's outermost server middleware: each run of a job is one unit, retries included.
    class Sidekiq
      CAPSULE = :sidekiq_capsule

      # Sidekiq asks for a new one for each job: all jobs have the same.
      # @return [SidekiqRuns]
      def self.new(runs) = runs
    end

    # Measures the runs. `begin_job` and `facts` are in C (ext/holdup/unit/job_edges.c); a job inside another
    # unit goes the way of all runners' jobs.
    class SidekiqRuns < Probe::JobStarts
      # @param jobs [JobUnits]
      # @param harmless [Array<Class>] exceptions that are not failures
      # @param pools [Hash] capsule => name of its pool
      def initialize(jobs, harmless, pools = {})
        super
        @jobs = jobs
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
        id, name, ready_ns = facts(job)
        run = @jobs.run(id, name, queue)
        run.ready_ns = ready_ns
        run.pool = @pools[Thread.current[Sidekiq::CAPSULE]]
        run.harmless = @harmless
        run
      rescue *Guard::FAILURES => error
        @jobs.unreadable(error)
      end
    end
  end
end
