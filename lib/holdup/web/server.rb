# frozen_string_literal: true

module Holdup
  class Web
    # A server for the dashboard alone. Puma, because most have it; who has not may mount the dashboard in
    # what there is.
    class Server
      # Who stops it does not wait for a page that takes long.
      OPTIONS = {min_threads: 0, max_threads: 4, force_shutdown_after: 1}.freeze

      # @param app [#call]
      # @param host [String]
      # @param port [Integer] 0 for any
      def initialize(app, host:, port:)
        @app = app
        @host = host
        @port = port
      end

      # Serves until the process is told to stop.
      # @yieldparam address [String] where it is, once it listens
      # @return [void]
      # @raise [Error] where it can't listen, or there is no server
      def run
        server = puma
        yield "http://#{host}:#{listen(server)}/"
        server.run.join
      ensure
        server&.stop(true)
      end

      private

      def puma
        require "puma"
        require "puma/server"
        Puma::Server.new(@app, nil, OPTIONS)
      rescue LoadError
        raise Error.new("there is no server to show the dashboard with",
          "`gem install puma`, or mount Holdup::Web in your application (docs/dashboard.md)")
      end

      def listen(server)
        server.add_tcp_listener(@host, @port)
        server.connected_ports.first
      rescue SystemCallError, SocketError => error
        raise Error.new("nothing can listen at #{@host}, port #{@port} (#{error.message})",
          "name another with --bind and --port")
      end

      def host
        @host.include?(":") ? "[#{@host}]" : @host
      end
    end
  end
end
