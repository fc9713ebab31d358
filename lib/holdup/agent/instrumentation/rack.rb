# frozen_string_literal: true

require_relative "request_unit"

module Holdup
  module Instrumentation
    # Measures each request as a unit. Belongs at the outermost place; a second one in the same request does
    # nothing.
    #
    #   use Holdup::Instrumentation::Rack, Holdup.requests      # config.ru; Rails and Puma's plugin do it themselves
    class Rack
      # @param app [#call]
      # @param requests [RequestUnits] which requests are measured, and how they are named
      def initialize(app, requests)
        @app = app
        @requests = requests
      end

      # @param env [Hash]
      # @return [Array] the application's response
      def call(env)
        unit = @requests.start(env)
        unit ? measured(unit, env) : @app.call(env)
      end

      private

      # The application is called outside of every guard: its exceptions are its own, and go on as they are.
      def measured(unit, env)
        earlier = $!
        response = @app.call(env)
        @requests.answered(unit, response)
      ensure
        unit.aborted(!$!.equal?(earlier))
      end
    end
  end
end
