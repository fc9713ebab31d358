# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "../recorder"
require_relative "../servers/identity"
require_relative "job_units"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # Jobs that run in thread pools of concurrent-ruby, in a process of the application:
    #
    # - sucker_punch has a pool for each class of jobs, and is no adapter of Active Job.
    # - Rails' async adapter has one pool for all. Its jobs are Active Jobs, which Active Job's callback
    #   measures.
    class ThreadPoolJobs
      include Runtime::Resource

      ASYNC = "async"
      # concurrent-ruby names the threads of that pool so.
      ASYNC_THREAD = "ActiveJob-async-scheduler-worker-"
      # When the job of this thread was put into its pool.
      READY = :holdup_ready_ns

      # @return [String, nil] name of the pool whose thread it is
      def self.pool_of(thread)
        ASYNC if thread.name&.start_with?(ASYNC_THREAD)
      end

      # @return [Boolean] asking for a constant that is to be loaded would load it, which is not ours to do
      def self.async?
        defined?(::ActiveJob) && !::ActiveJob.autoload?(:QueueAdapters) &&
          !::ActiveJob::QueueAdapters.autoload?(:AsyncAdapter) &&
          ::ActiveJob::QueueAdapters.const_defined?(:AsyncAdapter, false)
      end

      # @return [Boolean]
      def self.sucker_punch?
        !!(defined?(::SuckerPunch::Job::ClassMethods) && defined?(::SuckerPunch::Queue.all))
      end

      # @param jobs [#call] gives the JobUnits
      def initialize(jobs, guard:)
        @jobs = jobs
        @guard = guard
        @schedulers = ObjectSpace::WeakMap.new
      end

      def install
        @sucker_punch ||= join_sucker_punch if self.class.sucker_punch?
        @async ||= join_async if self.class.async?
      end

      # Only those that have had a job.
      # @return [Array<Servers::Pool>]
      def pools
        queues = @sucker_punch ? ::SuckerPunch::Queue.all.to_a : []
        [*queues.map { |queue| queue_pool(queue) }, *@schedulers.keys.filter_map { |one| async_pool(one) }]
      end

      # @param block [Proc] that a pool will run
      # @return [Proc] the same, which knows since when it has waited
      def posting(block)
        jobs = @jobs.call
        return block unless jobs.on?
        ready_ns = jobs.clock.realtime_ns
        lambda do |*arguments|
          Thread.current[READY] = ready_ns
          block.call(*arguments)
        end
      end

      # Measures one run of a job of sucker_punch.
      # @param type [Class] of the job
      # @return [Object] the block's value; its exception goes on untouched
      def measure(type, &)
        jobs = @jobs.call
        run = run(jobs, type) if jobs.on?
        jobs.measure(run, &)
      end

      # sucker_punch has rescued an exception of the job that runs here.
      def failed
        return unless $!
        @guard.call(:sucker_punch) do
          unit = Recorder::OpenUnit.current
          unit.failed if unit.is_a?(JobUnit)
        end
      end

      # @param scheduler [ActiveJob::QueueAdapters::AsyncAdapter::Scheduler]
      def add(scheduler)
        @guard.call(:async) { @schedulers[scheduler] = true }
      end

      private

      def run(jobs, type)
        run = jobs.run(nil, type.name.to_s, nil)
        run.ready_ns = Thread.current[READY]
        run.pool = pool_name(type.name)
        Thread.current[READY] = nil
        run
      rescue *Guard::FAILURES => error
        jobs.unreadable(error)
      end

      def pool_name(queue) = Servers::Pool.short("sucker_punch #{queue}")

      def join_sucker_punch
        hook(::SuckerPunch::Queue, :post) do |method|
          "#{method.block} = HoldupPools.posting(#{method.block}) if #{method.block}\n#{method.call}"
        end
        hook(::SuckerPunch::Job::ClassMethods, :__run_perform) do |method|
          "HoldupPools.measure(self) { #{method.call} }"
        end
        hook(::SuckerPunch.singleton_class, :exception_handler) do |method|
          "HoldupPools.failed\n#{method.call}"
        end
        true
      end

      # An application makes its adapter before measuring starts, or later.
      def join_async
        scheduler = ::ActiveJob::QueueAdapters::AsyncAdapter::Scheduler
        hook(scheduler, :initialize) { |method| "#{method.call}\nHoldupPools.add(self)" }
        ObjectSpace.each_object(scheduler) { |one| add(one) }
        true
      end

      def hook(owner, name, &)
        Hooks::MethodHook.new(owner, name, by: :thread_pool_jobs, constants: {HoldupPools: self}, &)
          .install(@guard)
      end

      def queue_pool(queue)
        Servers::Pool.new(name: pool_name(queue.name), max: queue.max_length, busy: queue.busy_workers,
          backlog: queue.enqueued_jobs, served: queue.processed_jobs + queue.failed_jobs)
      end

      def async_pool(scheduler)
        pool = scheduler.instance_variable_get(:@async_executor)
        return if pool.nil? || pool.scheduled_task_count.zero?
        Servers::Pool.new(name: ASYNC, max: pool.max_length, busy: pool.active_count,
          backlog: pool.queue_length, served: pool.completed_task_count)
      end
    end
  end
end
