# frozen_string_literal: true

require_relative "../guard"
require_relative "../probe"

module Holdup
  module Instrumentation
    # The name of a request: what it does, never for which user or id. In this order: the application's proc,
    # the endpoint that was asked for before another one answered in its place (AskedEndpoint),
    # Controller#action (Rails), the route's pattern (Sinatra, Grape, applications that Rails mounts, Roda,
    # Hanami), the method with the path's first segment. Names are few; ids would make each request a series.
    #
    # C looks up the names of actions that are known already (ext/holdup/unit/request_edges.c).
    class UnitName < Probe::RequestNames
      # Key of a Rack environment: the name of the endpoint that was asked for.
      ASKED = "holdup.asked_endpoint"
      # Likewise: the pattern of the path that Roda or Hanami's router has found so far.
      PATTERN = "holdup.route_pattern"
      METHODS = %w[GET HEAD POST PUT PATCH DELETE OPTIONS TRACE QUERY].to_h { |name| [name, name] }.freeze
      # A first segment that is a word, not an id: letters first, at most two digits at the end (v1, oauth2).
      WORD = %r{\A/[A-Za-z][A-Za-z_.-]{0,39}\d{0,2}(?:/|\z)}
      NOT_FOUND = 404
      # Limits of names that are remembered.
      MOST_CONTROLLERS = 1_000
      MOST_ACTIONS = 100

      # @param custom [#call, nil] the application's proc; takes the Rack env
      def initialize(guard:, custom: nil)
        @custom = custom
        @guard = guard
        @actions = {}.compare_by_identity
        super(custom ? nil : @actions)
      end

      # @param env [Hash] the Rack environment when the request ends
      # @return [String, nil] nil when it failed
      def call(env, status)
        (@custom && custom(env)) || env[ASKED] || route(env) || path(env, status)
      rescue *Guard::FAILURES => error
        @guard.failed(:name, error)
      end

      # The name of a request that still runs. Called in another thread: it only reads, and skips the
      # application's proc, which need not be thread-safe.
      # @return [String, nil] nil when it failed
      def so_far(env)
        routed(env) || "#{verb(env)} (no route yet)"
      end

      # The name of a request that still runs, once it has a route.
      # @return [String, nil]
      def routed(env)
        env[ASKED] || route(env)
      rescue *Guard::FAILURES => error
        @guard.failed(:name, error)
      end

      # Keeps the name of the endpoint that was asked for, because another one is about to answer with the
      # same environment. The first call of a request counts.
      # @param path [String] that was asked for; the environment may have another one by now
      # @param status [Integer, nil] of the answer, if it is known
      def keep_asked(env, path: full_path(env), verb: verb(env), status: nil)
        keep(env) { route(env) || unrouted(verb, path, status) }
      rescue *Guard::FAILURES => error
        @guard.failed(:name, error)
      end

      # @param env [Hash]
      # @yieldreturn [String] what a request asked for, unless that is known already
      # @return [void]
      def keep(env)
        note_asked # C looks for the key from then on
        env[ASKED] ||= yield
      end

      # @return [Boolean] whether the endpoint that this request asked for is known
      def asked?(env) = env.key?(ASKED)

      private

      def custom(env)
        name = @guard.call(:name) { @custom.call(env) }
        name if name.is_a?(String) && !name.empty?
      end

      def route(env)
        controller = env["action_controller.instance"]
        action = controller.action_name if controller
        return env["sinatra.route"] || grape(env) || rails_route(env) || pattern(env) unless action
        class_name = controller.class.name
        known = @actions[class_name]
        (known && known[action]) || remember(class_name, action)
      end

      # A class has one object as its name. Actions that routes name are few, others may be any text.
      def remember(class_name, action)
        name = "#{class_name}##{action}".freeze
        @actions[class_name] ||= {} if @actions.size < MOST_CONTROLLERS
        known = @actions[class_name]
        known[action] = name if known && known.size < MOST_ACTIONS
        name
      end

      def grape(env)
        route = env["grape.routing_args"]&.fetch(:route_info, nil)
        "#{route.request_method} #{route.pattern.origin}" if route
      end

      # Rack applications that Rails mounts have a route pattern but no controller.
      def rails_route(env)
        pattern = env["action_dispatch.route_uri_pattern"] || env["action_dispatch.route"]&.path&.spec
        "#{verb(env)} #{pattern.to_s.delete_suffix("(.:format)")}" if pattern
      end

      def pattern(env)
        pattern = env[PATTERN]
        "#{verb(env)} #{pattern}" if pattern
      end

      # No route and not found: mostly robots that try names, so one series for all.
      def path(env, status) = unrouted(verb(env), full_path(env), status)

      def unrouted(verb, path, status)
        return "#{verb} (not found)" if status == NOT_FOUND
        "#{verb} #{segment(path)}"
      end

      # Routers move the handled part of the path to SCRIPT_NAME.
      def full_path(env)
        script = env["SCRIPT_NAME"].to_s
        script.empty? ? env["PATH_INFO"].to_s : script
      end

      def verb(env) = METHODS.fetch(env["REQUEST_METHOD"], "OTHER")

      def segment(path)
        return "/" if path.empty? || path == "/"
        return "/:id" unless path.valid_encoding? && WORD.match?(path)
        path.byteslice(0, path.index("/", 1) || path.bytesize)
      end
    end
  end
end
