# frozen_string_literal: true

require_relative "."
require_relative "adapter"
require_relative "identity"
require_relative "puma/levers"
require_relative "puma/processes"
require_relative "worker_exits"
require_relative "worker_killers"

module Holdup
  module Servers
    # Puma 6, 7 and 8, single or cluster. A process answers requests through one Server object. When that
    # runs, the application is loaded, and the worker, its threads and its pool are known: there measuring
    # starts and the middleware wraps the application. (No hook of Puma runs after the application's boot and
    # knows the worker. Every kind of process calls Puma::Server#run, also workers forked by a worker, and
    # after an application that starts Holdup in the middle of its own boot.)
    class Puma
      extend Adapter

      AWAITS = %w[Puma::Launcher Puma::RackHandler].freeze
      PROCESSES = {worker: /\Apuma: cluster worker /, alone: /\Apuma \d/}.freeze
      # The first version that calls its hook before_refork.
      BEFORE_REFORK = 7
      # The first version that says how a worker ended (its hook after_worker_shutdown).
      EXIT_STATUS = 7

      # A Gemfile with Puma loads its name into every process, so only what runs counts.
      class << self
        # The launcher exists before the application under `puma`; `rails server` loads it later, and before
        # that only the handler. (`require "puma"` promises a launcher in every process of an application.)
        def here?
          launcher? ? ObjectSpace.each_object(::Puma::Launcher).any? : server_expected?
        end

        def launcher?
          !::Puma.autoload?(:Launcher) && ::Puma.const_defined?(:Launcher)
        end

        def notes_exits?(facts) = facts["server_version"].to_i >= EXIT_STATUS

        # The heap of the worker counts if workers fork others.
        def warm_up(facts)
          return "before_fork { Process.warmup }" unless facts["refork"]
          hook = (facts["server_version"].to_i >= BEFORE_REFORK) ? "before_refork" : "on_refork"
          "#{hook} { Process.warmup }"
        end

        private

        # A Rack server is about to run, with Puma.
        def server_expected?
          return false unless ::Puma.const_defined?(:RackHandler)
          servers = %w[Rackup::Server Rack::Server].select { |name| Object.const_defined?(name) }
          servers.any? { |name| ObjectSpace.each_object(Object.const_get(name)).any? }
        end
      end

      def initialize(runtime:, middleware:, env: ENV)
        @runtime = runtime
        @middleware = middleware
        @env = env
        @reforks = 0
      end

      def install
        return launched if Puma.launcher?
        if ::Puma.const_defined?(:RackHandler)
          callbacks(::Puma::RackHandler, after: {config: ->(*) { launched }})
        end
      end

      def launched
        return if @hooked
        @hooked = true
        callbacks(::Puma::Launcher,
          before: {run: ->(launcher, *) { attach(launcher) }, restart: ->(*) { restarting }})
        ObjectSpace.each_object(::Puma::Launcher) { |running| attach(running) }
      end

      # Runs in the master (or only) process before the application is loaded, or in the process that loads
      # both.
      def attach(launcher)
        @runtime.guard.call(:puma) do
          next if @launcher # both `plugin :holdup` and `holdup exec` are in use
          @launcher = launcher
          @levers = Levers.new(launcher, env: @env)
          hook_server_and_workers
          @runtime.wait_for_server("puma")
          register(launcher.events)
        end
      end

      # Runs first in a worker.
      def working(index)
        @worker = index
        @generation = @reforks
      end

      # A worker stops taking requests in order to fork others. Runs in trap context too.
      def reforking
        @reforks += 1
      end

      # A server stops. In a single process our threads must end (see Runtime#let_go); a worker has Puma's own
      # threads. Runs in trap context too.
      def stopping
        @runtime.let_go unless @worker
      end

      # The launcher restarts by executing itself again (not a phased restart). Runs in trap context too.
      def restarting
        @restarting = true
      end

      # The master has loaded what it loads, and is about to fork its workers. Where config.autopilot names
      # processes, it is the one that changes their number.
      def forking(config)
        return if @shared_size || !config.equal?(@launcher.config)
        @runtime.guard.call(:puma) do
          @plans = @runtime.follow_plans do |settings|
            cluster_size(settings.segment_dir) if settings.autopilot_goal&.processes
          end
        end
      end

      # A server has made its pool, which it shows to nobody.
      def pooled(pool, options)
        @pool = pool if options.equal?(@launcher.options)
      end

      # The server is about to run, or changes the number of its threads.
      def serving(server)
        @runtime.guard.call(:puma) do
          next unless server.options.equal?(@launcher.options) # Puma's control server has options of its own
          @server = server
          wrap(server) if @runtime.serve(identity(server))
        end
      end

      private

      def hook_server_and_workers
        hook_server
        made = ->(pool, _name = nil, options = nil, *) { pooled(pool, options) }
        callbacks(::Puma::ThreadPool, after: {initialize: made}) if changes_threads?
        hook_exits
        callbacks(::Puma::Cluster, before: {run: ->(cluster) { @cluster = cluster },
                                            stop: ->(*) { @plans&.let_go }})
        callbacks(::Puma::Cluster::Worker, before: {run: ->(worker, *) { working(worker.index) }})
        ObjectSpace.each_object(::Puma::Cluster::Worker) { |running| working(running.index) }
      end

      # Puma calls its hook after_worker_shutdown through its configuration, whether or not there is one.
      def hook_exits
        exits = WorkerExits.new(-> { @runtime.configuration.segment_dir })
        callbacks(::Puma::Cluster::WorkerHandle, before: {kill: ->(worker) { exits.timed_out(worker.pid) }})
        killers = WorkerKillers.new(WorkerKillers::PUMA, exits, guard: @runtime.guard, by: :puma)
        ended = ->(config, hook, worker, *) do
          forking(config) if hook == :before_fork
          killers.install # the configuration or the application has loaded the gem by the first fork
          exits.reaped(worker.process_status) if hook == :after_worker_shutdown
        end
        callbacks(::Puma::Configuration, before: {run_hooks: ended})
      end

      # Puma 8 can do it while it runs.
      def changes_threads?
        ::Puma::Server.method_defined?(:update_thread_pool_min_max)
      end

      def callbacks(owner, **callbacks)
        Hooks::Callbacks.install(owner, by: :puma, key: self, guard: @runtime.guard, **callbacks)
      end

      def hook_server
        serve = ->(server, *) { serving(server) }
        stop = ->(*) { stopping }
        after = changes_threads? ? {update_thread_pool_min_max: serve} : {}
        before = {run: serve, begin_restart: ->(*) { reforking }, stop:, halt: stop}
        callbacks(::Puma::Server, before:, after:)
      end

      # Puma 7 renamed the events.
      def register(events)
        renamed = events.respond_to?(:after_booted)
        guard = @runtime.guard
        events.register(renamed ? :after_booted : :on_booted) do
          guard.call(:puma) { @runtime.start_collector }
        end
        events.register(renamed ? :before_restart : :on_restart) do
          guard.call(:puma) { leave if @restarting }
        end
      end

      # A single Puma's next program has the same pid, so this segment must be closed by then.
      def leave
        @runtime.end_collector
        @runtime.stop
      end

      # A worker stopped to fork others runs the same server again; Puma 6 even hands it to those.
      def wrap(server)
        server.app = @app = @middleware.call(server.app) unless server.app.equal?(@app)
      end

      def identity(server)
        levers = @levers.of(server)
        Identity.new(
          name: "puma",
          facts: facts(server),
          worker: @worker,
          generation: @generation,
          pools: -> { [pool(server)] },
          levers: -> { levers },
          live: -> { [live_threads(server), live_processes].compact },
          fixed:
        )
      end

      # @param folder [String] of the segments
      # @return [ClusterSize]
      def cluster_size(folder)
        require_relative "../../segment/directory"
        Segment::Directory.new(folder).create
        @shared_size = SharedSize.new(folder)
        size = ClusterSize.new(@launcher.options, shared: @shared_size, log: @runtime.log, clock: Clock.new,
          workers: -> { @cluster&.workers.to_a })
        size.tap(&:share) # workers that boot sooner than the thread read it
      end

      # A worker that others are forked from gives them what it has.
      def live_processes
        return unless @shared_size && @worker
        @live_processes = nil unless @lives_in == Process.pid
        @lives_in = Process.pid
        @live_processes ||= WorkerProcesses.new(@shared_size, first: @launcher.options[:workers].to_i,
          clock: Clock.new, changed: -> { serving(@server) })
      end

      # Why the autopilot can't move what it is asked to.
      # @return [Symbol, nil]
      def fixed
        return if @shared_size
        return (Levers::FIXED unless changes_threads?) unless @runtime.configuration.autopilot_goal&.processes
        (@launcher.options[:workers].to_i > 0) ? Levers::FIXED_UNAWARE : Levers::FIXED_SINGLE
      end

      def live_threads(server)
        return unless changes_threads?
        @live_threads = nil unless @live_threads&.server.equal?(server)
        @live_threads ||= LiveThreads.new(server, pool: -> { @pool })
      end

      # Avoids Puma's `stats`, which resets the maxima that others read.
      def pool(server)
        free = server.pool_capacity
        max = server.max_threads
        busy = [max - free, 0].max if free
        Pool.new(name: "web", max:, busy:, backlog: server.backlog, served: server.requests_count)
      end

      def facts(server)
        {
          "server" => "puma",
          "server_version" => ::Puma::Const::VERSION,
          "threads" => server.max_threads,
          "min_threads" => server.min_threads,
          **launcher_facts(@launcher.options)
        }
      end

      def launcher_facts(options)
        workers = live_processes&.value || options[:workers].to_i
        io_threads = options[:max_io_threads].to_i
        {
          "workers" => workers,
          "preload" => (!!options[:preload_app] if workers > 0),
          "refork" => (true if workers > 0 && options[:fork_worker]),
          "max_io_threads" => (io_threads if io_threads > 0)
        }.compact
      end
    end
  end
end
