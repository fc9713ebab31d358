# frozen_string_literal: true

require_relative "span_finish"

module Holdup
  module Instrumentation
    class Tracers
      # OpenTelemetry's SDK. Spans that are not recorded end without `finish`, so nothing is learnt of them.
      module OpenTelemetry
        TITLE = "OpenTelemetry"
        # Kinds of the spans that a whole request or job is.
        UNITS = %i[server consumer].freeze

        module_function

        # @return [Boolean]
        def loaded?
          !!defined?(::OpenTelemetry::SDK::Trace::Span)
        end

        # @yieldparam span [Object] that is about to end
        # @return [void]
        def install(&)
          ::OpenTelemetry::SDK::Trace::Span.prepend(SpanFinish.new(&))
        end

        # @return [Object, nil] the span that goes on here
        def current
          ::OpenTelemetry::Trace.current_span.then { |span| span if span.recording? }
        end

        # @return [String] 32 hexadecimal digits
        def trace(span) = span.context.hex_trace_id

        # @return [Boolean] whether the span is the request or the job
        def of_unit?(span) = UNITS.include?(span.kind)

        # @param all [Hash{String => Float}]
        # @return [void]
        def attributes(span, all) = span.add_attributes(all)
      end
    end
  end
end
