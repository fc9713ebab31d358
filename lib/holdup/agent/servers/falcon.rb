# frozen_string_literal: true

require_relative "async_container"
require_relative "method_hook"
require_relative "identity"
require_relative "lever"

module Holdup
  module Servers
    # Falcon: each worker (a process, or a thread with --threaded) has one event loop, in which requests are
    # fibers. When a Falcon::Server runs, its application is loaded and its worker takes requests, whoever
    # started it (`falcon host`, `falcon serve`, rackup): that is where measuring starts and the middleware
    # goes around the application.
    #
    # The probe measures by fiber here of itself, because the worker's threads have a fiber scheduler.
    class Falcon
      # @return [Boolean] whether a server runs in this process; AsyncContainer knows of the process above
      def self.here?
        ObjectSpace.each_object(::Falcon::Server).any?
      end

      # @param runtime [Runtime]
      # @param middleware [#call] puts the middleware around an application
      def initialize(runtime:, middleware:)
        @runtime = runtime
        @middleware = middleware
        @lock = Mutex.new
        @servers = []
      end

      # @return [void]
      def install
        ::Falcon::Server.prepend(MethodHook.new(before: {run: ->(server, *) { serving(server) }}))
        ObjectSpace.each_object(::Falcon::Server) { |running| serving(running) }
      end

      # In a process, or in a thread of it, whose server is about to run. Several threads may come at once.
      # @param server [Falcon::Server]
      # @return [void]
      def serving(server)
        @runtime.guard.call(:falcon) do
          @lock.synchronize do
            next if @servers.any? { |_, known| known.equal?(server) }
            @servers = @servers.select { |thread, _| thread.alive? }.push([Thread.current, server])
            wrap(server)
            @runtime.serve(identity)
          end
        end
      end

      private

      # Below Falcon's own layers is what translates between its requests and Rack; anything else there is no
      # Rack application (a proxy), whose requests are not measured.
      def wrap(server)
        layer = server
        layer = layer.delegate while layer.respond_to?(:delegate)
        return unless layer.is_a?(::Protocol::Rack::Adapter::Generic)
        layer.instance_variable_set(:@app, @middleware.call(layer.instance_variable_get(:@app)))
      end

      def identity
        place = Fiber[AsyncContainer::PLACE]
        topology = @topology ||= Topology.here(place&.service)
        levers = topology.levers
        Identity.new(name: "falcon", worker: place&.index, facts: facts(topology), pools: -> { [pool] },
          levers: -> { levers })
      end

      # One thread takes any number of requests: `threads` says nothing about that, `fibers` does.
      def facts(topology)
        {"server" => "falcon", "server_version" => ::Falcon::VERSION, "workers" => topology.processes,
         "threads" => topology.threads, "preload" => topology.preload?, "fibers" => true}
      end

      # There is no most: whoever connects gets a fiber.
      def pool
        Pool.new(name: "web", busy: sum(:@requests_active_metric), served: sum(:@requests_total_metric))
      end

      # Falcon shows these figures as text only. Reading changes nothing.
      def sum(metric)
        metrics = @servers.filter_map { |_, server| server.instance_variable_get(metric) }
        metrics.sum(&:value) if metrics.any?
      end
    end

    class Falcon
      # How many processes and event loops a Falcon has, and where that is said. Asked in a worker, where the
      # controller may be gone (nothing refers to it after the fork); what a worker is made of is there.
      # Without any of that (rackup) it is one process with one loop.
      class Topology
        FILE = "falcon.rb"

        # @param name [String, nil] of this worker's service, where it is known
        # @return [Topology] of this process
        def self.here(name)
          services = defined?(::Falcon::Service::Server) ? ObjectSpace.each_object(::Falcon::Service::Server).to_a : []
          service = services.find { |each| each.name == name } || services.first
          new(service&.environment&.evaluator, forked: any?("Async::Container::Forked::Child::Instance"),
            threaded: any?("Async::Container::Threaded::Child::Instance"))
        end

        def self.any?(type)
          Object.const_defined?(type) && ObjectSpace.each_object(Object.const_get(type)).any?
        end
        private_class_method :any?

        # @param environment [Async::Service::Environment::Evaluator, nil] of the service
        # @param forked [Boolean] whether this process was forked as a worker
        # @param threaded [Boolean] whether workers are threads here
        def initialize(environment, forked:, threaded:)
          @environment = environment
          @forked = forked
          @threaded = threaded
          @options = environment&.container_options || {}
        end

        # @return [Integer] worker processes; 0 when the only process does the work
        def processes
          return 0 unless @forked
          @threaded ? forks : count
        end

        # @return [Integer] event loops of each process
        def threads
          return 1 unless @threaded
          @forked ? @options[:threads] || (count / forks).ceil : count
        end

        # @return [Boolean] whether something is loaded before the workers are forked
        def preload?
          !!@environment && Array(@environment.preload).any?
        end

        # @return [Array<Lever>]
        def levers
          levers = []
          levers << lever("processes", processes, @threaded ? "--forks N" : "--count N", "count N") if @forked
          if @threaded
            levers << lever("threads", threads, @forked ? "--hybrid --threads N" : "--threaded --count N",
              nil)
          end
          levers
        end

        private

        def processors = ::Async::Container.processor_count

        # As Async::Container::Generic#run and Hybrid#run have it.
        def count
          @options[:count] || ((@forked && @threaded) ? processors**2 : processors)
        end

        def forks
          @options[:forks] || [processors, count].min
        end

        # HUP forks new workers of the configuration that was read at the start.
        def lever(name, value, option, setting)
          line = setting && configuration && ConfigLine.find(configuration, setting[/\w+/])
          how = configuration ? "#{setting || option} in #{FILE}, then a restart of the whole server" : "falcon serve #{option}"
          Lever.new(name:, value:, how:, where: line&.place)
        end

        # `falcon host` only; `falcon serve` has options instead.
        def configuration
          @configuration ||= @environment&.root&.then { |root| File.join(root, FILE) }&.then { |path|
            path if File.file?(path) && !served?
          }
        end

        def served?
          defined?(::Falcon::Environment::Serve) && @environment.is_a?(::Falcon::Environment::Serve)
        end
      end
    end
  end
end
