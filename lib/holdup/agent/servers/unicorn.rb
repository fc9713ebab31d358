# frozen_string_literal: true

require_relative "preforking"

module Holdup
  module Servers
    # Unicorn: one thread per worker, so nothing stalls and the number of workers counts. Without
    # `preload_app` (the default) each worker loads the application after the fork.
    class Unicorn < Preforking
      extend Adapter

      AWAITS = %w[Unicorn::HttpServer].freeze
      PROCESSES = {worker: /\Aunicorn\w* worker\[/}.freeze

      def self.here? = super(::Unicorn::HttpServer)

      def self.one_at_a_time? = true

      def self.notes_exits?(_facts) = true

      def self.warm_up(_facts) = "before_fork { |_server, worker| Process.warmup if worker.nr.zero? }"

      private

      def http_server = ::Unicorn::HttpServer

      def worker_class = ::Unicorn::Worker

      # It sends this signal to nothing else.
      def timeouts(exits)
        {kill_worker: ->(_server, signal, pid) { exits.timed_out(pid) if signal == :KILL }}
      end

      def name = "unicorn"

      def version = ::Unicorn::Const::UNICORN_VERSION

      def generation(_worker) = 0

      def facts(server, worker)
        super.merge("preload" => !!server.preload_app)
      end

      def levers(server)
        [
          lever("processes", "worker_processes", server.worker_processes, :unicorn_workers,
            write: "worker_processes N", live: true),
          lever("preload", "preload_app", !!server.preload_app, :unicorn_preload, write: "preload_app true")
        ]
      end
    end
  end
end
