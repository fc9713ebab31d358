# frozen_string_literal: true

require_relative "preforking"

module Holdup
  module Servers
    # Pitchfork: the monitor forks a mold, which loads the application, takes no requests and forks everything
    # else. When a worker has served enough it forks the next mold from itself (reforking), which forks
    # workers of a new generation. Only workers and the service worker may measure.
    class Pitchfork < Preforking
      extend Adapter

      AWAITS = %w[Pitchfork::HttpServer].freeze
      PROCESSES = {worker: /\Apitchfork .*\bworker\[/}.freeze

      def self.here? = super(::Pitchfork::HttpServer)

      def self.one_at_a_time? = true

      def self.notes_exits?(_facts) = true

      # A mold has always loaded the application.
      def self.forks_loaded?(_facts) = true

      def self.warm_up(_facts) = "after_mold_fork { |_server, _mold| Process.warmup }"

      def install
        callbacks(after: {
          init_mold_process: ->(*) { mold_ready },
          init_service_process: ->(server, service, *) { service_ready(server, service) }
        })
        when_loaded { hook_reforks }
        super
      end

      # Runs in the monitor.
      def starting(server)
        super
        @monitored = true
      end

      # Wraps a worker's forks of a mold and of the process in between, which must not measure.
      # @return [Object] the block's value
      def without_children(&) = @runtime.wait_in_forks(&)

      # A mold is ready to fork. It supervises the collector when only the application, and so not the
      # monitor, has loaded Holdup.
      def mold_ready
        guard do
          @runtime.wait_for_server
          @runtime.start_collector unless @monitored
        end
      end

      # The service worker takes no requests, but its CPU and memory are the server's.
      def service_ready(server, service)
        guard do
          idle = -> { [Pool.new(name: "service", max: 0, busy: 0)] }
          @runtime.serve(identity(server, service).with(pools: idle))
        end
      end

      private

      def hook_reforks
        hook = Hooks::MethodHook.new(http_server, :spawn_mold, by: :pitchfork,
          constants: {HoldupAdapter: self}) do |method|
          "HoldupAdapter.without_children { #{method.call} }"
        end
        hook.install(@runtime.guard)
      end

      def http_server = ::Pitchfork::HttpServer

      def worker_class = ::Pitchfork::Worker

      def timeouts(exits) = {hard_timeout: ->(_server, child) { exits.timed_out(child.pid) }}

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
        [
          lever("processes", "worker_processes", server.worker_processes, :pitchfork_workers,
            write: "worker_processes N", live: true),
          lever("refork_after", "refork_after", refork_after, :pitchfork_refork,
            write: "refork_after [50, 100, 1000]")
        ]
      end

      def refork_after
        return "off" unless @reforks
        line("refork_after")&.value || "set"
      end
    end
  end
end
