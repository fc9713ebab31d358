# frozen_string_literal: true

require_relative "../pool"

module Holdup
  module Servers
    class GoodJob
      # The pools of threads of one process: a scheduler for each group of queues.
      class ThreadPools
        # GoodJob::Scheduler: a quarter of the time slice that others get, and less.
        LOWERED = -3

        # What GoodJob calls the threads of a scheduler.
        THREAD = /\AGoodJob::Scheduler\(queues=(.*) max_threads=\d+\)/

        class << self
          # @param thread [Thread]
          # @return [String, nil] name of the pool that it is in
          def pool_of(thread)
            (queues = thread.name&.slice(THREAD, 1)) && pool_name(queues)
          end

          # @param queues [String] of a scheduler
          # @return [String]
          def pool_name(queues)
            Pool.short("queues #{queues}")
          end
        end

        # @param schedulers [Array<GoodJob::Scheduler>] all that this process ever had
        # @param configuration [GoodJob::Configuration]
        # @param embedded [Boolean] whether they share the process with something else
        def initialize(schedulers, configuration, embedded:)
          @schedulers = schedulers
          @configuration = configuration
          @embedded = embedded
        end

        # @return [Hash{String => Object}] what of them changes results
        def facts
          stats = running.map(&:stats)
          {"jobs" => NAME, "jobs_version" => ::GoodJob::VERSION, "job_threads" => stats.sum { |each| each[:max_threads] },
           "job_processes" => processes, "job_queues" => stats.map { |each| each[:queues] }.join(";"), "job_priority" => priority}
        end

        # Asks the process only, not the database.
        # @return [Array<Pool>] as they are now
        def pools
          running.map { |scheduler| pool(scheduler.stats) }
        end

        # @return [Integer, nil] threads of the first pool
        def size
          running.first&.then { |scheduler| scheduler.stats[:max_threads] }
        end

        # @return [Integer, nil] processes of this kind; nil when only whoever starts them knows
        def processes
          count = @configuration.respond_to?(:subprocesses) ? @configuration.subprocesses : 0
          count if count.positive?
        end

        # Threads beside a web server's get less, unless somebody forbids it.
        # @return [Integer] of the threads that run jobs
        def priority
          lowered = @configuration.lower_thread_priority
          lowered = @embedded if lowered.nil?
          lowered ? LOWERED : 0
        end

        private

        def running = @schedulers.select(&:running?)

        def pool(stats)
          Pool.new(name: self.class.pool_name(stats[:queues]), max: stats[:max_threads],
            busy: stats[:active_threads], served: stats[:total_executions_count])
        end
      end
    end
  end
end
