# frozen_string_literal: true

require_relative "async_container"
require_relative "falcon/topology"
require_relative "method_hook"
require_relative "identity"
require_relative "pool"

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
  end
end
