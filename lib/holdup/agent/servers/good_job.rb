# frozen_string_literal: true

require_relative "good_job/levers"
require_relative "good_job/thread_pools"
require_relative "method_hook"
require_relative "identity"

module Holdup
  module Servers
    # GoodJob 4: pools of threads in a process of its own (`good_job start`, perhaps with subprocesses) or in
    # a web server's (async). They come up when a Capsule starts and are done when its `shutdown` returns;
    # both happen in the process in which the jobs run. Jobs that are run inline need no adapter.
    class GoodJob
      NAME = "good_job"
      SUBPROCESS = /\Agood_job subprocess (\d+)/

      # @return [Boolean] whether this process is run by GoodJob's own program
      def self.here? = !!::GoodJob::CLI.within_exe?

      # @param runtime [Runtime]
      # @param middleware [#call] not for jobs
      def initialize(runtime:, middleware: nil)
        @runtime = runtime
        @lock = Mutex.new
      end

      # @return [void]
      def install
        return if ::GoodJob::Capsule.ancestors.any?(MethodHook)
        ::GoodJob::Capsule.prepend(MethodHook.new(after: {start: ->(capsule, *) { serving(capsule) },
                                                          shutdown: ->(*) { finished }}))
        if ::GoodJob.const_defined?(:Supervisor)
          ::GoodJob::Supervisor.prepend(MethodHook.new(before: {start: ->(*) { supervising }}))
        end
        ::GoodJob::Capsule.instances.each { |capsule| serving(capsule) }
      end

      # In the process that is about to fork its subprocesses and runs no jobs (GoodJob 4.20 and later).
      # @return [void]
      def supervising
        guard do
          @runtime.wait_for_server
          @runtime.start_collector
        end
      end

      # In a process whose threads take jobs from now on, or that has started nothing.
      # @param capsule [GoodJob::Capsule]
      # @return [void]
      def serving(capsule)
        guard do
          next unless capsule.running?
          @lock.synchronize { @runtime.serve(identity) }
          @runtime.start_collector if self.class.here? && !subprocess # also of a daemon, which is a fork
        end
      end

      # Some capsule was told to stop; with a timeout of nil it has not yet.
      # @return [void]
      def finished
        guard { @runtime.leave(NAME) if ::GoodJob::Capsule.instances.all?(&:shutdown?) }
      end

      private

      def guard(&) = @runtime.guard.call(:good_job, &)

      def identity
        threads = ThreadPools.new(::GoodJob::Scheduler.instances, ::GoodJob.configuration,
          embedded: !self.class.here?)
        levers = Levers.new(threads, ::GoodJob.configuration, root: ::Rails.root.to_s).to_a
        Identity.new(name: NAME, facts: threads.facts, worker: subprocess, pools: -> { threads.pools },
          pool_of: ->(_queue) { ThreadPools.pool_of(Thread.current) }, levers: -> { levers })
      end

      # Its index is in its title and nowhere else that could be asked.
      def subprocess = $PROGRAM_NAME[SUBPROCESS, 1]&.to_i
    end
  end
end
