# frozen_string_literal: true

module Holdup
  class Web
    # Serves the dashboard standalone, for this user on this machine.
    class Command
      HOST = "127.0.0.1"
      PORT = 9900
      LOOPBACK = %w[127.0.0.1 localhost ::1].freeze
      # The same in a Host header.
      HOSTS = %w[127.0.0.1 localhost [::1]].freeze

      extend CLI::CommandArguments

      languages = View::Words::LANGUAGES.keys
      OPTIONS = CLI::Options.new("holdup web [options]", [
        Queries::Option.whole("--port N", 0..65_535, "where it listens (#{PORT}); 0 for any that is free"),
        Queries::Option.text("--bind HOST", "for others too, with HOLDUP_WEB_AUTH (#{HOST})", key: :host),
        CLI::Options::STORE,
        CLI::Options::DIR,
        Queries::Option.choice("--lang LANG", languages,
          "where a browser asks for none of #{languages.join(" and ")}", key: :language)
      ])

      # @raise [UsageError] other machines can reach the address and no password is set
      def initialize(console:, host: HOST, port: PORT, store: nil, dir: nil, language: nil)
        @console = console
        @host = host
        @port = port
        settings = Configuration.build(env: Configuration.readable(console.env))
        @auth = settings.web_auth
        @goal = Holdup::Web.goal(settings)
        @orders = settings.web_capture
        unless loopback? || @auth
          raise UsageError.new("--bind #{host} shows it to others",
            "set HOLDUP_WEB_AUTH=user:password (or none) first")
        end
        @store = CLI::Places.store(console.env, store)
        @dir = CLI::Places.directory(console.env, dir)
        @captures = CLI::Places.captures(console.env, store)
        @language = language || CLI::Places.language(console.env)
      end

      # Serves until it gets a signal to stop.
      def run
        Jit::Activation.new(jit: Jit.yjit, other: Jit.zjit).call
        Server.new(dashboard, host: @host, port: @port).run do |address|
          @console.err.puts("holdup: the dashboard is at #{address}; Ctrl-C ends it")
        end
        CLI::OK
      end

      private

      def loopback? = LOOPBACK.include?(@host)

      # A user who may run this may read the store. A page of another site, under another host name, must not.
      def dashboard
        store = Holdup::Web::StorePool.new { @store }
        Holdup::Web.new(
          store:,
          dir: @dir,
          troubles: Holdup::Web.troubles(store:, dir: @dir, clock: @console.clock),
          captures: -> { @captures },
          orders: @orders,
          auth: @auth,
          open: loopback?,
          hosts: loopback? ? HOSTS : nil,
          clock: @console.clock,
          language: @language,
          **@goal
        )
      end
    end

    class Command
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
            "`gem install puma`, or mount Holdup::Web in your application (`holdup docs dashboard`)")
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
end
