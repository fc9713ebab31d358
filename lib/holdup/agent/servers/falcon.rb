# frozen_string_literal: true

require_relative "."
require_relative "adapter"
require_relative "identity"

module Holdup
  module Servers
    # Falcon: each worker (a process, or a thread with --threaded) has one event loop, with requests as
    # fibers. When a Falcon::Server runs, its application is loaded and its worker takes requests, however it
    # was started (`falcon host`, `falcon serve`, rackup): there measuring starts and the middleware wraps the
    # application.
    #
    # The probe measures by fiber, because the worker's threads have a fiber scheduler.
    class Falcon
      extend Adapter

      AWAITS = %w[Falcon::Server].freeze
      # Its workers have any title and no program of their own.
      PROCESSES = {programs: %w[falcon falcon-host], children: true}.freeze

      # @return [Boolean] whether a server runs in this process (of its parent: AsyncContainer.here?)
      def self.here?
        ObjectSpace.each_object(::Falcon::Server).any?
      end

      def initialize(runtime:, middleware:)
        @runtime = runtime
        @middleware = middleware
        @lock = Mutex.new
        @servers = []
      end

      def install
        Hooks::Callbacks.install(::Falcon::Server, by: :falcon, guard: @runtime.guard,
          before: {run: ->(server, *) { serving(server) }})
        ObjectSpace.each_object(::Falcon::Server) { |running| serving(running) }
      end

      # The server is about to run in this process or thread; several threads may call it at once.
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

      # The Rack adapter is below Falcon's own layers; without one (a proxy) requests are not measured.
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
        Identity.new(
          name: "falcon",
          worker: place&.index,
          facts: facts(topology),
          pools: -> { [pool] },
          levers: -> { levers }
        )
      end

      # `fibers`: a thread takes any number of requests.
      def facts(topology)
        {
          "server" => "falcon",
          "server_version" => ::Falcon::VERSION,
          "workers" => topology.processes,
          "threads" => topology.threads,
          "preload" => topology.preload?,
          "fibers" => true
        }
      end

      # The pool has no maximum: each connection gets a fiber.
      def pool
        Pool.new(name: "web", busy: sum(:@requests_active_metric), served: sum(:@requests_total_metric))
      end

      # Falcon has no reader for these figures.
      def sum(metric)
        metrics = @servers.filter_map { |_, server| server.instance_variable_get(metric) }
        metrics.sum(&:value) if metrics.any?
      end
    end

    class Falcon
      # How many processes and event loops Falcon has, and where that is configured. Read in a worker, where
      # the controller may have been collected after the fork but the worker's own objects remain. Without
      # these (rackup) it is one process with one loop.
      class Topology
        FILE = "falcon.rb"

        # @param name [String, nil] of this worker's service, if known
        def self.here(name)
          services = instances("Falcon::Service::Server")
          service = services.find { |each| each.name == name } || services.first
          new(
            service&.environment&.evaluator,
            forked: instances("Async::Container::Forked::Child::Instance").any?,
            threaded: instances("Async::Container::Threaded::Child::Instance").any?
          )
        end

        def self.instances(type)
          Object.const_defined?(type) ? ObjectSpace.each_object(Object.const_get(type)).to_a : []
        end
        private_class_method :instances

        def initialize(environment, forked:, threaded:)
          @environment = environment
          @forked = forked
          @threaded = threaded
          @options = environment&.container_options || {}
        end

        # Worker processes; 0 when the only process does the work.
        def processes
          return 0 unless @forked
          @threaded ? forks : count
        end

        # Event loops of each process.
        def threads
          return 1 unless @threaded
          @forked ? @options[:threads] || (count / forks).ceil : count
        end

        def preload?
          !!@environment && Array(@environment.preload).any?
        end

        def levers
          [(processes_lever if @forked), (threads_lever if @threaded)].compact
        end

        private

        def processes_lever
          lever("processes", processes, @threaded ? "--forks N" : "--count N", "count N")
        end

        def threads_lever
          lever("threads", threads, @forked ? "--hybrid --threads N" : "--threaded --count N", nil)
        end

        def processors = ::Async::Container.processor_count

        # The number is that of Async::Container::Generic#run and Hybrid#run.
        def count
          hybrid = @forked && @threaded
          @options[:count] || (hybrid ? processors**2 : processors)
        end

        def forks
          @options[:forks] || [processors, count].min
        end

        # Needs a restart, because HUP forks new workers with the configuration read at the start.
        def lever(name, value, option, setting)
          return Lever.new(name:, value:, write: "falcon serve #{option}") unless configuration
          line = setting && ConfigLine.find(configuration, setting[/\w+/])
          Lever.new(name:, value:, write: setting || option, how: :falcon_file, facts: {"file" => FILE},
            where: line&.place)
        end

        # `falcon host` only; `falcon serve` has options instead.
        def configuration
          root = @environment&.root
          return if root.nil? || falcon_serve?
          path = File.join(root, FILE)
          path if File.file?(path)
        end

        def falcon_serve?
          defined?(::Falcon::Environment::Serve) && @environment.is_a?(::Falcon::Environment::Serve)
        end
      end
    end

    # The parent of Falcon's workers (`falcon host`, `falcon serve`): a controller that binds the sockets,
    # forks workers into a container and restarts them. It measures nothing and supervises the collector. The
    # container does not number its children, so we number them here; a restarted child keeps its number.
    class AsyncContainer
      AWAITS = %w[Async::Container::Controller].freeze
      # Key in the storage of a worker's first fiber, which its other fibers inherit.
      PLACE = :holdup_place
      # `service`: its name or nil; `index`: of the worker in that service
      WorkerSlot = Data.define(:service, :index)

      # Each call of Async::Container::Generic#spawn is one slot; its block runs in every child that fills it.
      # Containers of threads have no slots, not even in a forked child (--hybrid).
      class WorkerSlots
        SIGNATURE = "name: nil, **options"

        def initialize(guard)
          @guard = guard
          @indexes = ObjectSpace::WeakKeyMap.new # by container
        end

        # @param container [Class]
        def install(container = ::Async::Container::Generic)
          hook = Hooks::MethodHook.new(container, :spawn, by: :falcon,
            takes: SIGNATURE, constants: {HoldupSlots: self}) do |method|
            "#{method.target}(name:, **options, &HoldupSlots.placed(self, name, #{method.block}))"
          end
          hook.install(@guard)
        end

        # @return [Proc, nil] what the child runs
        def placed(container, name, block)
          slot = @guard.call(:falcon) { slot(container, name) } if block
          return block unless slot
          proc do |*arguments, **options|
            Fiber[PLACE] = slot
            block.call(*arguments, **options)
          end
        end

        private

        def slot(container, name)
          type = container.class
          return unless type.respond_to?(:multiprocess?) && type.multiprocess?
          indexes = @indexes[container] ||= Hash.new(-1)
          WorkerSlot.new(service: name, index: indexes[name] += 1)
        end
      end

      # Whether Falcon runs this process; its services may not exist yet.
      def self.here?
        Falcon::PROCESSES.fetch(:programs).include?(File.basename($PROGRAM_NAME)) || controllers.any?
      end

      def self.controllers
        return [] unless defined?(::Async::Service::Controller) && defined?(::Falcon::Service::Server)
        ObjectSpace.each_object(::Async::Service::Controller).select do |controller|
          controller.services.grep(::Falcon::Service::Server).any?
        end
      end

      def initialize(runtime:, **)
        @runtime = runtime
      end

      # The controller's `start` returns when the first workers are ready.
      def install
        Hooks::Callbacks.install(::Async::Container::Controller, by: :falcon, guard: @runtime.guard,
          before: {start: ->(*) { starting }}, after: {start: ->(*) { booted }})
        WorkerSlots.new(@runtime.guard).install
      end

      # Runs before the first fork of a worker. Ignores controllers without a Falcon.
      def starting
        @runtime.guard.call(:falcon) { @runtime.wait_for_server if self.class.here? }
      end

      def booted
        @runtime.guard.call(:falcon) { @runtime.start_collector if self.class.here? }
      end
    end
  end
end
