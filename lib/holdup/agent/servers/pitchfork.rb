# frozen_string_literal: true

require_relative "preforking"

module Holdup
  module Servers
    # Pitchfork: the monitor forks a mold, which loads the application, takes no requests and forks everything
    # else. When a worker has served enough it forks the next mold from itself (reforking), and workers of a
    # new generation come from there. So nothing but workers and the service worker may begin to measure,
    # however they descend from one.
    class Pitchfork < Preforking
      # Prepended to HttpServer.
      class Reforking < Module
        def initialize(adapter)
          super()
          define_method(:spawn_mold) { |*arguments, **options|
            adapter.without_children { super(*arguments, **options) }
          }
          private :spawn_mold
        end
      end

      # @return [Boolean] whether this process is run by Pitchfork
      def self.here? = super(::Pitchfork::HttpServer)

      # @return [void]
      def install
        http_server.prepend(Reforking.new(self), MethodHook.new(hidden: %i[init_mold_process init_service_process],
          after: {init_mold_process: ->(*) { resting },
                  init_service_process: ->(server, service, *) { helping(server, service) }}))
        super
      end

      # In the monitor.
      def starting(server)
        super
        @monitored = true
      end

      # In a worker, around the forks of a mold and of the process in between: they must not begin to measure.
      # @return [Object] the block's value
      def without_children(&) = @runtime.wait_in_forks(&)

      # In a mold that is ready to fork. When we were loaded by the application only, the monitor does not
      # know us.
      # @return [void]
      def resting
        guard do
          @runtime.wait_for_server
          @runtime.start_collector unless @monitored
        end
      end

      # In the service worker. It takes no requests, but its CPU and memory are the server's.
      # @return [void]
      def helping(server, service)
        guard do
          idle = -> { [Pool.new(name: "service", max: 0, busy: 0)] }
          @runtime.serve(identity(server, service).with(pools: idle))
        end
      end

      private

      def http_server = ::Pitchfork::HttpServer

      def name = "pitchfork"

      def version = ::Pitchfork::VERSION

      def generation(worker) = worker.generation

      def read(config)
        super
        @reforks = !!config[:refork_condition]
      end

      def facts(server, worker)
        super.merge("preload" => true, "refork" => @reforks || worker.generation.positive? || nil)
      end

      def levers(server)
        [lever("processes", "worker_processes", server.worker_processes,
          "worker_processes N, then a restart; SIGTTIN to the monitor adds one, SIGTTOU takes one away", live: true),
          lever("refork_after", "refork_after", @reforks ? line("refork_after")&.value || "set" : "off",
            "refork_after [50, 100, 1000], then a restart; SIGUSR2 to the monitor reforks once")]
      end
    end
  end
end
