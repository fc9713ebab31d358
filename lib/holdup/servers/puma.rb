# frozen_string_literal: true

module Holdup
  module Servers
    # Puma 6, 7 and 8, single or cluster. A process answers requests through one Server object; when that is made, the
    # application is loaded, and everything is known: which worker this is, its threads, its pool. So that is where
    # measuring starts and the middleware goes around the application. (None of Puma's own hooks runs after the
    # application's boot and knows the worker; Puma::Runner#start_server has been the place since Puma 3.)
    class Puma
      OPTION = :holdup

      # Prepended to Puma::Runner; finds the adapter in the options that Puma hands around.
      module Runner
        def start_server
          server = super
          @options[OPTION]&.serving(server, worker: respond_to?(:index) ? index : @holdup_worker)
          server
        end
      end

      # Prepended to Puma::Cluster: Puma 6 makes a worker's server before the worker.
      module Cluster
        def worker(index, master)
          @holdup_worker = index
          super
        end
      end

      # The thread pool's state. Reads what changes nothing: Puma's `stats` resets the maxima that others read.
      Pool = Struct.new(:server) do
        def busy = (max_threads - capacity + backlog if capacity && backlog)

        def backlog = server.backlog

        def capacity = server.pool_capacity

        def max_threads = server.max_threads

        def requests_count = server.requests_count
      end

      # @param runtime [Runtime]
      # @param middleware [#call] puts the middleware around an application, after that has been set up
      def initialize(runtime:, middleware:)
        @runtime = runtime
        @middleware = middleware
      end

      # In the master (or only) process, before the application is loaded.
      # @param launcher [Puma::Launcher]
      # @return [void]
      def attach(launcher)
        options = launcher.options
        return if options[OPTION] # `plugin :holdup` under `holdup exec`
        @facts = facts(options)
        options[OPTION] = self
        ::Puma::Runner.prepend(Runner)
        ::Puma::Cluster.prepend(Cluster)
        @runtime.wait_for_server
        register(launcher.events)
      end

      # In a process whose server is about to run.
      # @param server [Puma::Server]
      # @param worker [Integer, nil] its index
      # @return [void]
      def serving(server, worker: nil)
        @runtime.guard.call(:puma) do
          @runtime.serve(@facts.merge("threads" => server.max_threads), worker:, pool: Pool.new(server))
          server.app = @middleware.call(server.app)
        end
      end

      private

      def workers(options) = options[:workers].to_i

      def facts(options)
        {"server" => "puma", "server_version" => ::Puma::Const::VERSION, "workers" => workers(options),
         "min_threads" => options[:min_threads].to_i, "preload" => !!options[:preload_app]}
      end

      # Puma 7 renamed the events: register by the name that this Puma fires.
      def register(events)
        renamed = events.respond_to?(:after_booted)
        events.register(renamed ? :after_booted : :on_booted) { @runtime.start_collector }
        events.register(renamed ? :before_restart : :on_restart) { @runtime.stop_collector }
      end
    end
  end
end
