# frozen_string_literal: true

require "logger"
require "tools"

module Bench
  module Tools
    # Datadog's tracer with a span for each request and each query. Traces are dropped before they are
    # written: the network is not in the figure. Loaded when it starts: Holdup explains the spans of a tracer
    # that is there.
    class Datadog < None
      def start
        load_quietly
        ::Datadog.configure do |config|
          config.logger.instance = Logger.new(IO::NULL)
          config.telemetry.enabled = config.remote.enabled = false
          config.tracing.enabled = true
          config.tracing.instrument :rack
          config.tracing.instrument :active_record
        end
        ::Datadog::Tracing.before_flush { |_trace| nil }
      end

      # A request around calls that are made without Rack.
      def request(&) = ::Datadog::Tracing.trace("request", &)

      def around(app) = ::Datadog::Tracing::Contrib::Rack::TraceMiddleware.new(app)

      private

      # It has warnings of its own.
      def load_quietly
        warnings, $VERBOSE = $VERBOSE, nil
        require "active_record"
        require "datadog"
      ensure
        $VERBOSE = warnings
      end
    end
  end
end
