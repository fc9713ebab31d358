# frozen_string_literal: true

require_relative "method_hook"
require_relative "identity"
require_relative "lever"

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

      # What of GoodJob in a process a person can turn. Settings are Ruby in any of Rails' configuration
      # files; what is given on the command line or in the environment is written nowhere that could be named.
      class Levers
        # A segment has no room for the words of many.
        LISTED = 4
        FILES = %w[config/application.rb config/environments/*.rb config/initializers/*.rb].freeze
        THREADS = /\A[^#]*\bgood_job\b[^#]*\b(?:max_)?threads\b/
        QUEUES = /\A[^#]*\bgood_job\b[^#]*\bqueues\b/
        PROCESSES = /\A[^#]*\bgood_job\b[^#]*\bsubprocesses\b/
        PRIORITY = /\A[^#]*\bgood_job\b[^#]*\blower_thread_priority\b/

        # @param threads [ThreadPools]
        # @param configuration [GoodJob::Configuration]
        # @param root [String] the application's folder
        def initialize(threads, configuration, root:)
          @threads = threads
          @configuration = configuration
          @root = root
        end

        # @return [Array<Lever>]
        def to_a
          [threads, *threads_of_queues, queues, processes, priority]
        end

        private

        # Of each pool that has no number of its own in the list of queues. (The configuration's own would say
        # so each time where it is still given by its earlier name.)
        def threads
          word = @configuration.respond_to?(:threads) ? "threads" : "max_threads" # renamed in 4.22
          where = line(THREADS)
          Lever.new(name: "threads", value: @threads.size, where:,
            how: where ? "config.good_job.#{word} = N" : "good_job start --#{word.tr("_", "-")} N, config.good_job.#{word} or GOOD_JOB_#{word.upcase}")
        end

        # Where queues are listed with numbers, these count. No value: the same number may stand there for
        # several.
        def threads_of_queues
          parts = @configuration.queue_string.split(";")
          return [] if parts.size > LISTED || (parts.size < 2 && !parts.first.to_s.include?(":"))
          parts.map { |part| part[/[^:]*/] }.each_with_index.map { |name, index|
            listed(name, [*parts.first(index), "#{name}:N", *parts.drop(index + 1)].join(";"))
          }
        end

        def listed(name, list)
          where = line(QUEUES)
          Lever.new(name: "threads (#{name})", value: nil, where:,
            how: where ? "config.good_job.queues = \"#{list}\"" : "good_job start --queues \"#{list}\", config.good_job.queues or GOOD_JOB_QUEUES")
        end

        def queues
          Lever.new(name: "queues", value: @configuration.queue_string, where: line(QUEUES),
            how: "good_job start --queues \"mails:2;*:5\" (threads behind the colon), config.good_job.queues or GOOD_JOB_QUEUES")
        end

        def processes
          how = @configuration.respond_to?(:subprocesses) ? "good_job start --subprocesses N or GOOD_JOB_SUBPROCESSES" : "start more processes"
          Lever.new(name: "processes", value: @threads.processes || 1, where: line(PROCESSES), how:)
        end

        def priority
          Lever.new(name: "priority", value: @threads.priority, live: true, where: line(PRIORITY),
            how: "config.good_job.lower_thread_priority = true or false; now: GoodJob.capsule.lower_thread_priority =")
        end

        def line(pattern)
          files = Dir[*FILES.map { |each| File.join(@root, each) }].sort
          files.filter_map { |file| found(file, pattern) }.last
        end

        def found(file, pattern)
          number = File.foreach(file, encoding: "UTF-8").with_index(1).filter_map { |line, at|
            at if pattern.match?(line.scrub)
          }.last
          "#{file.delete_prefix("#{@root}/")}:#{number}" if number
        end
      end
    end
  end
end
