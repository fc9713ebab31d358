# frozen_string_literal: true

require "logger"
require "tools"

module Bench
  module Tools
    # OpenTelemetry's SDK with a span for each request and each query, in batches that go nowhere: the network
    # is not in the figure. Loaded when it starts: Holdup explains the spans of a tracer that is there.
    class OpenTelemetry < None
      QUERY = "sql.active_record"

      SUCCESS = 0

      # An exporter.
      class NowhereExporter
        def export(_spans, timeout: nil) = SUCCESS

        def force_flush(timeout: nil) = SUCCESS

        def shutdown(timeout: nil) = SUCCESS
      end

      def start
        require "opentelemetry/sdk"
        require "opentelemetry/instrumentation/active_support"
        require "opentelemetry/instrumentation/rack"
        export = ::OpenTelemetry::SDK::Trace::Export
        ::OpenTelemetry::SDK.configure do |config|
          config.logger = Logger.new(IO::NULL)
          config.add_span_processor(export::BatchSpanProcessor.new(NowhereExporter.new))
          config.use "OpenTelemetry::Instrumentation::Rack"
          config.use "OpenTelemetry::Instrumentation::ActiveSupport"
        end
        @tracer = ::OpenTelemetry.tracer_provider.tracer("bench")
        ::OpenTelemetry::Instrumentation::ActiveSupport.subscribe(@tracer, QUERY)
      end

      # A request around calls that are made without Rack.
      def request(&) = @tracer.in_span("request", kind: :server, &)

      def around(app)
        rack = ::OpenTelemetry::Instrumentation::Rack::Instrumentation.instance
        middleware, *arguments = rack.middleware_args
        middleware.new(app, *arguments)
      end
    end
  end
end
