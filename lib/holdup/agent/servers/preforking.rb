# frozen_string_literal: true

require "socket"
require_relative "adapter"
require_relative "identity"
require_relative "worker_exits"
require_relative "worker_killers"
require_relative "."

module Holdup
  module Servers
    # Common part of Unicorn and its descendant Pitchfork: a master, workers that take one request at a time,
    # and one class (HttpServer) for both. A worker is ready when `init_worker_process` returns: the
    # application is loaded, the user's after_fork has run, no request is taken yet. Where Holdup is loaded
    # during that method (Unicorn loads a Rails application in each worker), `prep_readers` is the worker's
    # next step before its first request. The user's own hooks are not touched.
    class Preforking
      # Hooks have no effect once a ready worker has dropped the application's source.
      def self.here?(server)
        ObjectSpace.each_object(server).any? { |each| each.orig_app || !each.worker_processes }
      end

      def initialize(runtime:, middleware:)
        @runtime = runtime
        @middleware = middleware
        @requests = RequestCounter.new
      end

      def install
        hook_server
        ObjectSpace.each_object(http_server) { |running| attach(running) }
      end

      # Runs first in the master.
      def starting(server)
        attach(server)
        guard { @runtime.wait_for_server }
        guard { hook_exits }
      end

      # The master has forked its first workers.
      def booted
        guard { @runtime.start_collector }
      end

      # The worker is ready; does nothing when called again.
      def serving(server, worker)
        guard do
          next if @worker.equal?(worker) || !takes_requests?(worker)
          @worker = worker
          @requests.begin
          hook_killers
          wrap(server) if @runtime.serve(identity(server, worker))
        end
      end

      private

      def hook_server
        when_loaded { @requests.hook(http_server, name.to_sym, @runtime.guard) }
        callbacks(
          before: {start: ->(server, *) { starting(server) }, join: ->(*) { booted }},
          after: {
            init_worker_process: ->(server, worker, *) { serving(server, worker) },
            prep_readers: ->(server, readers, *) { serving(server, readers.last) }
          }
        )
      end

      # A master closes a worker when it has reaped it.
      def hook_exits
        exits = WorkerExits.new(-> { @runtime.configuration.segment_dir })
        callbacks(before: timeouts(exits))
        Hooks::Callbacks.install(worker_class, by: name.to_sym, guard: @runtime.guard, key: exits,
          before: {close: ->(*) { exits.reaped(Process.last_status) }})
      end

      # The application has loaded the gem by now.
      def hook_killers
        exits = WorkerExits.new(-> { @runtime.configuration.segment_dir })
        WorkerKillers.new(WorkerKillers::UNICORN, exits, guard: @runtime.guard, by: name.to_sym).install
      end

      def when_loaded(&) = Hooks::WhenLoaded.call(http_server, name.to_sym, @runtime.guard, &)

      def callbacks(**callbacks)
        Hooks::Callbacks.install(http_server, by: name.to_sym, guard: @runtime.guard, **callbacks)
      end

      def guard(&) = @runtime.guard.call(name.to_sym, &)

      def attach(server)
        guard { read(server.config) if server.config }
      end

      # Called in the master and a mold, because workers drop their configuration.
      def read(config)
        @config_file = config.config_file && File.expand_path(config.config_file, WorkingFolder.path)
      end

      def takes_requests?(worker)
        worker.respond_to?(:nr) && !!worker.nr
      end

      # A worker forked by a worker has the middleware already.
      def wrap(server)
        server.app = @app = @middleware.call(server.app) unless server.app.equal?(@app)
      end

      # Reads the levers once, because they come from a file.
      def identity(server, worker)
        levers = levers(server)
        Identity.new(
          name:,
          facts: facts(server, worker),
          worker: worker.nr,
          generation: generation(worker),
          pools: -> { [pool(server, worker)] },
          levers: -> { levers }
        )
      end

      def facts(server, _worker)
        {
          "server" => name,
          "server_version" => version,
          "workers" => server.worker_processes,
          "threads" => 1,
          "min_threads" => 1
        }
      end

      # Workers share their sockets, so the first one reports the backlog of all.
      def pool(server, worker)
        backlog = ListenQueue.size(http_server::LISTENERS.to_a) if worker.nr.zero?
        Pool.new(name: "web", max: 1, busy: @requests.busy, backlog:, served: @requests.served)
      end

      def lever(name, word, value, how, **more)
        Lever.new(name:, value:, how:, where: line(word)&.place, **more)
      end

      def line(word) = ConfigLine.find(@config_file, word)
    end

    class Preforking
      # Whether the one thread of this process is busy, and how many requests it has served.
      # `rack.after_reply` has run when `process_client` returns.
      class RequestCounter
        # @return [Integer, nil] nil before the worker is ready
        attr_reader :busy, :served

        # The worker is ready.
        def begin
          @busy = @served = 0
        end

        def request_begins
          @busy = 1
        end

        def request_ends
          @busy = 0
          @served += 1 if @served
        end

        # @param server [Class]
        # @param place [Symbol] for the guard
        def hook(server, place, guard)
          constants = {HoldupRequests: self}
          Hooks::MethodHook.new(server, :process_client, by: place, constants:) do |method|
            <<~RUBY
                HoldupRequests.request_begins
                #{method.call}
              ensure
                HoldupRequests.request_ends
            RUBY
          end.install(guard)
        end
      end
    end

    # Connections that wait to be accepted: Linux has the number for a listening TCP socket in TCP_INFO
    # (`tcpi_unacked`), one system call. Unknown on other systems and for UNIX sockets.
    module ListenQueue
      LISTENING = 10
      UNACKED_AT = 24

      # @return [Integer, nil] sum of all sockets; nil: unknown
      def self.size(sockets)
        known = sockets.filter_map { |socket| waiting(socket) }
        known.sum unless known.empty?
      end

      # An ending worker may close its listeners at this moment.
      def self.waiting(socket)
        return unless defined?(Socket::TCP_INFO) && socket.is_a?(TCPServer)
        info = socket.getsockopt(Socket::IPPROTO_TCP, Socket::TCP_INFO).data
        info.unpack1("L", offset: UNACKED_AT) if info.getbyte(0) == LISTENING
      rescue IOError, SystemCallError
        nil
      end
      private_class_method :waiting
    end
  end
end
