# frozen_string_literal: true

require_relative "."
require_relative "adapter"
require_relative "identity"
require_relative "job_backlog"
require_relative "solid_queue/levers"

module Holdup
  module Servers
    # Solid Queue: its supervisor forks a process for each worker (and for the dispatcher and the scheduler,
    # which run no jobs and are not measured), or runs them as threads of its own process, which may be
    # Puma's. A Worker is ready at the end of its `boot`, in the process that will run its jobs, and has ended
    # when `shutdown` has waited for the last job; forked workers then leave by `exit!`, which runs no later
    # hook.
    #
    # (SolidQueue.on_worker_start can't be called before the class has its body.)
    class SolidQueue
      extend Adapter

      AWAITS = %w[SolidQueue::Worker].freeze
      PROCESSES = {worker: /\Asolid-queue-worker\(/, alone: /\Asolid-queue-async-supervisor\(/}.freeze
      NAME = "solid_queue"
      TASK = "solid_queue:start"
      # Matches the text of bin/jobs, whatever its name.
      PROGRAM = /SolidQueue::(?:Cli|Supervisor)\b/
      LONGEST_PROGRAM = 10_000

      class << self
        # Whether Solid Queue runs this process, also before its supervisor exists.
        def here?(program: $PROGRAM_NAME)
          task? || ObjectSpace.each_object(::SolidQueue::Supervisor).any? || starts_jobs?(program)
        end

        def jobs? = true

        def own_queue(queue)
          {write: "- { queues: #{queue}, threads: 1, processes: 1 }", how: :solid_queue_own_queue}
        end

        private

        def task?
          !!defined?(::Rake.application) && ::Rake.application.top_level_tasks.include?(TASK)
        end

        def starts_jobs?(program)
          File.file?(program) && PROGRAM.match?(File.binread(program, LONGEST_PROGRAM))
        end
      end

      def initialize(runtime:, middleware: nil)
        @runtime = runtime
        @installed_in = Process.pid
        @workers = []
        @indexes = {}.compare_by_identity
        @lock = Mutex.new
      end

      def install
        return if Hooks::Callbacks.installed?(::SolidQueue::Worker, :solid_queue)
        hook_supervisor(::SolidQueue::Supervisor)
        after = {boot: ->(worker, *) { serving(worker) }, shutdown: ->(worker, *) { finished(worker) }}
        Hooks::Callbacks.install(::SolidQueue::Worker, by: :solid_queue, guard: @runtime.guard, after:)
        ObjectSpace.each_object(::SolidQueue::Worker) { |worker| serving(worker) if worker.process_id }
      end

      # Runs in the supervisor's process before it starts any worker. For a supervisor that is itself a fork
      # (Puma's plugin), its parent supervises the collector.
      # @yieldreturn [SolidQueue::Configuration] private to the supervisor
      def supervising
        guard do
          @topology = Topology.new(yield)
          next unless @topology.fork?
          @runtime.wait_for_server(NAME)
          @runtime.start_collector if Process.pid == @installed_in
        end
      end

      # Runs in the supervisor's process before each start of a child; a replacement keeps its predecessor's
      # index.
      def starting(configured)
        guard { @index = @indexes[configured] ||= @indexes.size if Topology.worker?(configured) }
      end

      # Runs where this worker's jobs will run.
      def serving(worker)
        guard do
          @lock.synchronize do
            @workers |= [worker]
            follow_backlog
            @runtime.serve(identity(worker))
          end
        end
      end

      def finished(worker)
        guard do
          @lock.synchronize do
            @workers -= [worker]
            next unless @workers.empty?
            @backlog&.let_go
            @runtime.leave(NAME)
          end
        end
      end

      # @param supervisor [Class]
      def hook_supervisor(supervisor)
        before = {
          start: ->(one, *) { supervising { one.send(:configuration) } },
          start_process: ->(_, configured, *) { starting(configured) }
        }
        Hooks::Callbacks.install(supervisor, by: :solid_queue, guard: @runtime.guard, before:)
      end

      private

      def guard(&) = @runtime.guard.call(:solid_queue, &)

      def identity(worker)
        group = WorkerThreads.running(worker)
        groups = @topology ? @topology.groups_of_process(group) : [group]
        levers = levers(groups).to_a
        Identity.new(
          name: NAME,
          facts: facts(groups),
          worker: (@index if @topology&.fork?),
          pools: -> { @workers.map { |each| pool(each) } },
          pool_of: ->(queue) { pool_of(queue) },
          levers: -> { levers },
          fixed: Levers::FIXED
        )
      end

      def facts(groups)
        {
          "jobs" => NAME,
          "jobs_version" => ::SolidQueue::VERSION,
          "job_processes" => @topology&.size,
          **WorkerThreads.facts(groups)
        }
      end

      def levers(groups)
        file = SettingSource.used(env: ENV, arguments: ARGV, root: ::Rails.root.to_s)
        Levers.new(groups, @topology, file:, environment: ::Rails.env.to_s)
      end

      # Threads don't know their worker, so the pool is unknown where workers of one process share a queue.
      def pool_of(queue)
        groups = @workers.map { |worker| WorkerThreads.running(worker) }
        groups = groups.select { |group| group.serves?(queue) } if groups.size > 1
        groups.first.pool_name if groups.one?
      end

      # Solid Queue before 1.4 counts idle threads.
      def pool(worker)
        pool = worker.pool
        free = pool.respond_to?(:available_capacity) ? pool.available_capacity : pool.idle_threads
        group = WorkerThreads.running(worker)
        waiting = @backlog&.of { |queue| group.serves?(queue) }
        Pool.new(name: group.pool_name, max: pool.size, busy: pool.size - free, backlog: waiting&.size,
          oldest_ns: waiting&.oldest_ns, queues: group.waiting(@backlog))
      end

      def follow_backlog
        return if @backlog&.alive? || !@runtime.configuration.backlog
        @backlog = JobBacklog.new(ReadyJobs.table, guard: @runtime.guard, queues: -> { named_queues })
          .follow(@runtime)
      end

      # @return [Array<String>, nil] nil if one of the workers serves a pattern
      def named_queues
        queues = @workers.flat_map { |worker| WorkerThreads.running(worker).queues.split(",") }.uniq
        queues if queues.none? { |queue| queue.include?("*") }
      end
    end

    class SolidQueue
      # The table of jobs that wait for a worker.
      module ReadyJobs
        # The index that workers poll by.
        ORDER = %i[priority job_id].freeze

        def self.table
          JobBacklog::JobTable.new(::SolidQueue::ReadyExecution, since: :created_at, order: ORDER,
            paused: -> { ::SolidQueue::Pause.pluck(:queue_name) }) { ::SolidQueue::ReadyExecution.all }
        end
      end
    end

    class SolidQueue
      # Threads of one worker and the queues that they serve, planned or running.
      #
      # - `queues`: "mails,urgent", as in the configuration
      # - `size`: concurrent jobs; `fibers`: whether these are fibers of one thread (Solid Queue 1.4 and
      #   later)
      WorkerThreads = Data.define(:queues, :size, :fibers) do
        class << self
          def planned(configured)
            options = configured.attributes
            new(
              queues: Array(options[:queues] || "*").join(","),
              size: options[:fibers] || options[:threads],
              fibers: options.key?(:fibers)
            )
          end

          def running(worker)
            pool = worker.pool
            new(
              queues: Array(worker.queues).join(","),
              size: pool.size,
              fibers: pool.respond_to?(:type) && pool.type == :fiber
            )
          end

          def facts(groups)
            {
              "job_threads" => groups.sum(&:size),
              "job_queues" => groups.map(&:queues).join(";"),
              "job_mode" => ("strict" if groups.any?(&:strict?)),
              "job_pool" => ("fiber" if groups.any?(&:fibers))
            }
          end
        end

        def pool_name
          Pool.short("queues #{queues}")
        end

        # Whether it looks at its queues one after the other.
        def strict?
          !patterns.include?("*") && (patterns.size > 1 || patterns.any? { |pattern| pattern.end_with?("*") })
        end

        # Whether it takes jobs of that queue; a configuration may contain "*" or "mails*".
        def serves?(queue)
          patterns.any? { |pattern| File.fnmatch(pattern, queue) }
        end

        # Queues in the order in which Solid Queue polls them: as they are listed, those of a prefix by name.
        # With "*" it polls all of them at once.
        # @param backlog [JobBacklog, nil]
        # @return [Array<WaitingQueue>]
        def waiting(backlog)
          found = backlog ? backlog.queues { |queue| place(queue) } : []
          return found if patterns.include?("*")
          found.sort_by { |queue| [queue.lane, queue.name] }.each_with_index.map do |queue, lane|
            queue.with(lane:)
          end
        end

        private

        def patterns = queues.split(",")

        # @return [Integer, nil] of the first pattern that it matches
        def place(queue)
          return 0 if patterns.include?("*")
          patterns.index { |pattern| File.fnmatch(pattern, queue) }
        end
      end

      # Workers that a supervisor runs. Forked workers are processes with their own threads; asynchronous
      # workers share a process, whose facts cover all of them from the start.
      class Topology
        def self.worker?(configured)
          configured.kind.to_s == "worker"
        end

        def initialize(configuration)
          workers = configuration.configured_processes.select { |each| Topology.worker?(each) }
          @groups = workers.map { |worker| WorkerThreads.planned(worker) }
          @fork = !configuration.respond_to?(:mode) || configuration.mode.fork?
        end

        def fork? = @fork

        # All groups of a started worker's process.
        def groups_of_process(group)
          fork? ? [group] : @groups
        end

        # Processes that serve these queues; one for asynchronous workers.
        def processes(group)
          fork? ? @groups.count(group) : 1
        end

        # Processes that run jobs.
        def size
          fork? ? @groups.size : 1
        end
      end
    end
  end
end
