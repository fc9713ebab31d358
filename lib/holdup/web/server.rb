# frozen_string_literal: true

module Holdup
  class Web
    # A server for the dashboard alone. Uses Puma because most applications have it; others can mount the
    # dashboard in their own server.
    class Server
      # Stopping the server does not wait for a slow page.
      OPTIONS = {min_threads: 0, max_threads: 4, force_shutdown_after: 1}.freeze

      # @param port [Integer] 0 for any
      def initialize(app, host:, port:)
        @app = app
        @host = host
        @port = port
      end

      # Serves until the process is stopped.
      # @yieldparam address [String] its URL, once it listens
      # @raise [Error] if it can't listen, or Puma is missing
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
        raise Error.new("no web server is installed to serve the dashboard",
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
