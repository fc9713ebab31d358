# frozen_string_literal: true

require_relative "."
require_relative "adapter"
require_relative "identity"
require_relative "job_backlog"

module Holdup
  module Servers
    # GoodJob 4: thread pools in a separate process (`good_job start`, perhaps with subprocesses) or in a web
    # server's (async). They start with a Capsule and have ended when its `shutdown` returns, both in the
    # process that runs the jobs. Jobs that run inline need no adapter.
    class GoodJob
      extend Adapter

      AWAITS = %w[GoodJob::ThreadStatus].freeze
      PROCESSES = {worker: /\Agood_job subprocess /, programs: %w[good_job]}.freeze
      NAME = "good_job"
      SUBPROCESS = /\Agood_job subprocess (\d+)/

      def self.here? = !!::GoodJob::CLI.within_exe?

      def self.jobs? = true

      def self.own_queue(queue)
        {write: "bundle exec good_job start --queues \"#{queue}:1\"", how: :good_job_own_queue}
      end

      def initialize(runtime:, middleware: nil)
        @runtime = runtime
        @lock = Mutex.new
      end

      def install
        return if Hooks::Callbacks.installed?(::GoodJob::Capsule, :good_job)
        callbacks(::GoodJob::Capsule,
          after: {start: ->(capsule, *) { serving(capsule) }, shutdown: ->(*) { finished }})
        if ::GoodJob.const_defined?(:Supervisor)
          callbacks(::GoodJob::Supervisor, before: {start: ->(*) { supervising }})
        end
        ::GoodJob::Capsule.instances.each { |capsule| serving(capsule) }
      end

      # Runs in the process that forks the subprocesses and runs no jobs (GoodJob 4.20 and later).
      def supervising
        guard do
          @runtime.wait_for_server(NAME)
          @runtime.start_collector
        end
      end

      # The process's threads take jobs from now on, unless nothing has started.
      def serving(capsule)
        guard do
          next unless capsule.running?
          @lock.synchronize do
            follow_backlog
            @runtime.serve(identity)
          end
          @runtime.start_collector if self.class.here? && !subprocess # also of a daemon, which is a fork
        end
      end

      # The capsule's threads may still run after a shutdown with a timeout of nil.
      def finished
        guard do
          next unless ::GoodJob::Capsule.instances.all?(&:shutdown?)
          @backlog&.let_go
          @runtime.leave(NAME)
        end
      end

      private

      def callbacks(owner, **callbacks)
        Hooks::Callbacks.install(owner, by: :good_job, guard: @runtime.guard, **callbacks)
      end

      def guard(&) = @runtime.guard.call(:good_job, &)

      def identity
        configuration = ::GoodJob.configuration
        embedded = !self.class.here?
        threads = SchedulerPools.new(::GoodJob::Scheduler.instances, configuration, embedded:,
          backlog: @backlog)
        levers = Levers.new(threads, configuration, root: ::Rails.root.to_s).to_a
        Identity.new(
          name: NAME,
          facts: threads.facts,
          worker: subprocess,
          pools: -> { threads.pools },
          pool_of: ->(_queue) { SchedulerPools.pool_of(Thread.current) },
          levers: -> { levers }
        )
      end

      def follow_backlog
        return if @backlog&.alive? || !@runtime.configuration.backlog
        @backlog = JobBacklog.new(QueuedJobs.table, guard: @runtime.guard).follow(@runtime)
      end

      # Only the process title contains the index.
      def subprocess = $PROGRAM_NAME[SUBPROCESS, 1]&.to_i
    end

    class GoodJob
      # Thread pools of one process: a scheduler for each group of queues.
      class SchedulerPools
        # The priority is the one of GoodJob::Scheduler: a quarter of the usual time slice, and less.
        LOWERED = -3

        # GoodJob's names for a scheduler's threads.
        THREAD = /\AGoodJob::Scheduler\(queues=(.*) max_threads=\d+\)/

        class << self
          def pool_of(thread)
            queues = thread.name&.slice(THREAD, 1)
            pool_name(queues) if queues
          end

          def pool_name(queues)
            Pool.short("queues #{queues}")
          end
        end

        # @param schedulers [Array<GoodJob::Scheduler>] all of this process, ended ones included
        # @param embedded [Boolean] whether they share the process
        # @param backlog [JobBacklog, nil]
        def initialize(schedulers, configuration, embedded:, backlog: nil)
          @schedulers = schedulers
          @configuration = configuration
          @embedded = embedded
          @backlog = backlog
        end

        def facts
          stats = running.map(&:stats)
          {
            "jobs" => NAME,
            "jobs_version" => ::GoodJob::VERSION,
            "job_threads" => stats.sum { |each| each[:max_threads] },
            "job_processes" => processes,
            "job_queues" => stats.map { |each| each[:queues] }.join(";"),
            "job_mode" => ("strict" if stats.any? { |each| QueuedJobs.ordered?(each[:queues]) }),
            "job_priority" => priority
          }
        end

        # Does not ask the database: the backlog is as of the last look.
        def pools
          running.map { |scheduler| pool(scheduler.stats) }
        end

        # Threads of the first pool.
        def size
          scheduler = running.first
          scheduler.stats[:max_threads] if scheduler
        end

        # Processes of this kind; nil when they are started separately.
        def processes
          count = @configuration.respond_to?(:subprocesses) ? @configuration.subprocesses : 0
          count if count.positive?
        end

        # Lowered in a web server's process, unless configured otherwise.
        def priority
          lowered = @configuration.lower_thread_priority
          lowered = @embedded if lowered.nil?
          lowered ? LOWERED : 0
        end

        private

        def running = @schedulers.select(&:running?)

        def pool(stats)
          waiting = @backlog&.of { |queue| QueuedJobs.serves?(stats[:queues], queue) }
          Pool.new(
            name: self.class.pool_name(stats[:queues]),
            max: stats[:max_threads],
            busy: stats[:active_threads],
            backlog: waiting&.size,
            served: stats[:total_executions_count],
            oldest_ns: waiting&.oldest_ns,
            queues: QueuedJobs.waiting(stats[:queues], @backlog)
          )
        end
      end

      # The table of jobs. An index has those that are not finished by queue and time; few of them are
      # running.
      module QueuedJobs
        class << self
          def table
            JobBacklog::JobTable.new(::GoodJob::Job, since: :scheduled_at, order: [:scheduled_at],
              paused: method(:paused), waiting: ->(jobs) { jobs.only_scheduled.where(performed_at: nil) }) do
              ::GoodJob::Job.unfinished
            end
          end

          # @param list [String] "mails,urgent", "*", "-mails"
          def serves?(list, queue)
            parsed = ::GoodJob::Job.queue_parser(list)
            return true if parsed[:all]
            parsed[:exclude] ? !parsed[:exclude].include?(queue) : parsed[:include].include?(queue)
          end

          # @return [Boolean] whether jobs are taken in the order of the list: "+urgent,mails"
          def ordered?(list) = !!::GoodJob::Job.queue_parser(list)[:ordered_queues]

          # @param backlog [JobBacklog, nil]
          # @return [Array<WaitingQueue>] of that list; all in one lane unless the list is ordered
          def waiting(list, backlog)
            return [] unless backlog
            parsed = ::GoodJob::Job.queue_parser(list)
            ordered = parsed[:include] if parsed[:ordered_queues]
            backlog.queues do |queue|
              next unless serves?(list, queue)
              ordered ? ordered.index(queue) : 0
            end
          end

          private

          # Pauses exist since GoodJob 4.10, and only where they are enabled.
          def paused
            configuration = ::GoodJob.configuration
            return [] unless configuration.respond_to?(:enable_pauses) && configuration.enable_pauses
            ::GoodJob::Setting.paused(:queues)
          end
        end
      end

      # Settings of GoodJob that a user can change. They are Ruby in any of Rails' configuration files; values
      # from the command line or the environment have no line to name.
      class Levers
        LISTED = 4
        FILES = %w[config/application.rb config/environments/*.rb config/initializers/*.rb].freeze
        THREADS = /\A[^#]*\bgood_job\b[^#]*\b(?:max_)?threads\b/
        QUEUES = /\A[^#]*\bgood_job\b[^#]*\bqueues\b/
        PROCESSES = /\A[^#]*\bgood_job\b[^#]*\bsubprocesses\b/
        PRIORITY = /\A[^#]*\bgood_job\b[^#]*\blower_thread_priority\b/

        def initialize(threads, configuration, root:)
          @threads = threads
          @configuration = configuration
          @root = root
        end

        def to_a
          [threads, *threads_of_queues, queues, processes, priority]
        end

        private

        # Threads of each pool without a number in the list of queues. (Reading the configuration's value
        # would log a deprecation each time where the earlier name is in use.)
        def threads
          word = @configuration.respond_to?(:threads) ? "threads" : "max_threads" # renamed in 4.22
          setting = "config.good_job.#{word}"
          where = line(THREADS)
          anywhere = anywhere("good_job start --#{word.tr("_", "-")} N", setting)
          change = where ? {write: "#{setting} = N"} : anywhere
          Lever.new(name: "threads", value: @threads.size, where:, **change)
        end

        # Facts of a Lever whose setting is not written in a file: it is an option, a setting of Rails, or a
        # variable.
        def anywhere(command, setting)
          {write: command, how: :good_job_anywhere,
           facts: {"setting" => setting, "variable" => setting.delete_prefix("config.").tr(".", "_").upcase}}
        end

        # Numbers in the list of queues count. The lever has no value, because a number may stand for several
        # pools.
        def threads_of_queues
          parts = @configuration.queue_string.split(";")
          return [] if parts.size > LISTED || (parts.size < 2 && !parts.first.to_s.include?(":"))
          parts.each_with_index.map do |part, index|
            name = part[/[^:]*/]
            list = [*parts.first(index), "#{name}:N", *parts.drop(index + 1)].join(";")
            threads_of_queue(name, list)
          end
        end

        def threads_of_queue(name, list)
          where = line(QUEUES)
          anywhere = anywhere("good_job start --queues \"#{list}\"", "config.good_job.queues")
          change = where ? {write: "config.good_job.queues = \"#{list}\""} : anywhere
          Lever.new(name: "threads (#{name})", value: nil, where:, **change)
        end

        def queues
          Lever.new(name: "queues", value: @configuration.queue_string, where: line(QUEUES),
            write: "good_job start --queues \"mails:2;*:5\"", how: :good_job_queues)
        end

        def processes
          change = {how: :good_job_processes}
          if @configuration.respond_to?(:subprocesses)
            change = {write: "good_job start --subprocesses N", how: :good_job_subprocesses}
          end
          Lever.new(name: "processes", value: @threads.processes || 1, where: line(PROCESSES), **change)
        end

        def priority
          Lever.new(name: "priority", value: @threads.priority, live: true, where: line(PRIORITY),
            how: :good_job_priority)
        end

        def line(pattern)
          files = Dir[*FILES.map { |each| File.join(@root, each) }].sort
          files.filter_map { |file| last_line(file, pattern) }.last
        end

        def last_line(file, pattern)
          index = File.readlines(file, encoding: "UTF-8").rindex { |line| pattern.match?(line.scrub) }
          "#{file.delete_prefix("#{@root}/")}:#{index + 1}" if index
        end
      end
    end
  end
end
