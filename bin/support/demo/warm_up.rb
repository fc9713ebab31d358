# frozen_string_literal: true

require "rack/mock_request"

module Demo
  # Runs every endpoint of a Rails application before its first customer comes: the first run connects to
  # databases, compiles views and queries, and loads what nothing needed before. On a slow machine that takes
  # longer than all that an endpoint shows in a short load.
  #
  # The routes are called without the application's middleware, so these runs are no requests: neither Holdup
  # nor the shop counts them.
  class WarmUp
    # The first run after a boot does most, the second one what needs the first.
    TURNS = 2
    ID = "1"

    # @param application [Rails::Application]
    def initialize(application)
      @application = application
    end

    # @return [Array<String>] "GET /products", what was run
    # @raise [StandardError] of an endpoint
    def call
      all = paths
      TURNS.times { all.each { |verb, path| run(verb, path) } }
      all.map { |verb, path| "#{verb} #{path}" }
    end

    private

    # Those that an application made itself.
    def paths
      routes = @application.routes.routes.reject { |route| route.internal || route.verb.empty? }
      routes.map { |route| [route.verb, route.format(route.required_parts.to_h { |part| [part, ID] })] }
    end

    # Connections go back to their pools, as after a request.
    def run(verb, path)
      @application.executor.wrap do
        _, _, body = @application.routes.call(Rack::MockRequest.env_for(path, method: verb))
        body.each { |part| part }
        body.close if body.respond_to?(:close)
      end
    end
  end
end
