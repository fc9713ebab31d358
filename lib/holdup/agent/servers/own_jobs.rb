# frozen_string_literal: true

require_relative "../../model/clock"
require_relative "../instrumentation/job_name"
require_relative "../instrumentation/job_units"
require_relative "."
require_relative "adapter"
require_relative "identity"
require_relative "job_backlog"

module Holdup
  module Servers
    # What the adapters share of runners whose jobs need not be Active Job's, with one pool in each process.
    # An adapter defines `run(job)`, which gives a JobUnit with what is known of the job.
    module OwnJobs
      def initialize(runtime:, middleware: nil)
        @runtime = runtime
        pool_of = ->(queue) { runtime.pool_of(queue) }
        @jobs = Instrumentation::JobUnits.new(recorder: runtime.recorder, clock: Clock.new, pool_of:)
      end

      # The runner takes no more jobs; its process may go on.
      def finished
        guard do
          @backlog&.let_go
          @runtime.leave(self.class::NAME)
        end
      end

      # Measures one run of a job that is not Active Job's, whose callback does that.
      # @param job [Object] as the runner knows it
      # @yieldparam run [JobUnit, nil]
      # @return [Object] the block's value; its exception goes on untouched
      def measure(job)
        run = run_of(job) if @jobs.on?
        @jobs.measure(run) { yield run }
      end

      private

      def guard(&) = @runtime.guard.call(self.class::NAME.to_sym, &)

      def run_of(job)
        run(job)
      rescue *Guard::FAILURES => error
        @jobs.unreadable(error)
      end

      # @param name [String] class of the job
      # @return [JobUnit, nil] nil for a job of Active Job
      def new_run(id, name, queue)
        @jobs.run(id, name, queue) unless Instrumentation::JobName.wrapper?(name)
      end

      # @param table [#call] see JobBacklog
      # @yieldreturn [Array<String>, nil] the queues of this process
      def follow_backlog(table, &queues)
        return if @backlog&.alive? || !@runtime.configuration.backlog
        @backlog = JobBacklog.new(table, guard: @runtime.guard, queues: queues || -> {}).follow(@runtime)
      end

      # @return [Pool] that takes the jobs of all queues of this process
      def pool(queues, max:, busy:)
        waiting = @backlog&.of { true }
        Pool.new(name: pool_name(queues), max:, busy:, backlog: waiting&.size, oldest_ns: waiting&.oldest_ns)
      end

      def pool_name(queues) = Pool.short("queues #{queues}")
    end
  end
end
