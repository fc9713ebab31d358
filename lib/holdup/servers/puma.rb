# frozen_string_literal: true

require_relative "identity"
require_relative "pool"

module Holdup
  module Servers
    # Puma 6, 7 and 8, single or cluster. A process answers requests through one Server object; when that is made, the
    # application is loaded, and everything is known: which worker this is, its threads, its pool. So that is where
    # measuring starts and the middleware goes around the application. (None of Puma's own hooks runs after the
    # application's boot and knows the worker; Puma::Runner#start_server has been the place since Puma 3.)
    class Puma
      OPTION = :holdup

      # Prepended to Puma::Launcher: by `run` the configuration is known and nothing is loaded yet.
      class Launcher < Module
        def initialize(adapter)
          super()
          define_method(:run) do
            adapter.attach(self)
            super()
          end
        end
      end

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

      # @return [Boolean] whether this process is run by Puma
      def self.here? = ObjectSpace.each_object(::Puma::Launcher).any?

      # @param runtime [Runtime]
      # @param middleware [#call] puts the middleware around an application, after that has been set up
      def initialize(runtime:, middleware:)
        @runtime = runtime
        @middleware = middleware
      end

      # @return [void]
      def install
        ::Puma::Launcher.prepend(Launcher.new(self))
        ObjectSpace.each_object(::Puma::Launcher) { |running| attach(running) }
      end

      # In the master (or only) process, before the application is loaded.
      # @param launcher [Puma::Launcher]
      # @return [void]
      def attach(launcher)
        @runtime.guard.call(:puma) do
          options = launcher.options
          next if options[OPTION] # `plugin :holdup` under `holdup exec`
          @facts = facts(options)
          options[OPTION] = self
          ::Puma::Runner.prepend(Runner)
          ::Puma::Cluster.prepend(Cluster)
          @runtime.wait_for_server
          register(launcher.events)
        end
      end

      # In a process whose server is about to run.
      # @param server [Puma::Server]
      # @param worker [Integer, nil] its index
      # @return [void]
      def serving(server, worker: nil)
        @runtime.guard.call(:puma) do
          @runtime.serve(Identity.new(name: "puma", facts: @facts.merge("threads" => server.max_threads), worker:, pools: -> { [pool(server)] }))
          server.app = @middleware.call(server.app)
        end
      end

      private

      # Reads what changes nothing: Puma's `stats` resets the maxima that others read.
      def pool(server)
        free, backlog, max = server.pool_capacity, server.backlog, server.max_threads
        Pool.new(name: "web", max:, busy: free && backlog && max - free + backlog, backlog:, served: server.requests_count)
      end

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
