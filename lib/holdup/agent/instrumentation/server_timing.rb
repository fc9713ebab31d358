# frozen_string_literal: true

require_relative "../guard"
require_relative "../logged_figures"
require_relative "../recorder"

module Holdup
  module Instrumentation
    # Adds the figures so far to the header `Server-Timing`, which browsers show beside a request
    # (`config.server_timing`). It is inside of the middleware that measures.
    class ServerTiming
      HEADER = "server-timing"
      # Rack 2 has it in this form.
      CAPITALIZED = "Server-Timing"
      # By its own part of the header it knows a response that another copy of it has served.
      OWN = /(?:\A|, )gvl;dur=/
      HEADERS = 1
      private_constant :HEADERS

      class << self
        # @param setting [Symbol] `config.server_timing`
        # @return [Boolean] whether responses of this process get the header
        def wanted?(setting)
          setting == :always || (setting == :development && development?)
        end

        private

        # Puma and rackup call every application without a RACK_ENV one in development.
        def development?
          defined?(::Rails) && ::Rails.respond_to?(:env) && ::Rails.env.to_s == "development"
        end
      end

      # @param app [#call]
      # @param guard [Guard]
      def initialize(app, guard)
        @app = app
        @guard = guard
      end

      def call(env)
        response = @app.call(env)
        add_to(response)
        response
      end

      private

      def add_to(response)
        headers = headers_of(response) or return
        figures = LoggedFigures.of(Recorder::OpenUnit.current&.measured) or return
        name = headers.key?(CAPITALIZED) ? CAPITALIZED : HEADER
        earlier = headers[name]
        return if OWN.match?(earlier.to_s)
        own = figures.map { |part, ms| "#{part};dur=#{ms}" }
        headers[name] = [*earlier, *own].join(", ")
      rescue *Guard::FAILURES => error
        @guard.failed(:server_timing, error)
      end

      # @return [Hash, nil] nil: the application's answer is no response of Rack, or may not be changed
      def headers_of(response)
        headers = response[HEADERS] if Array === response
        headers if Hash === headers && !headers.frozen?
      end
    end
  end
end
