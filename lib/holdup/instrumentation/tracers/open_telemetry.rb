# frozen_string_literal: true

require_relative "span_end"

module Holdup
  module Instrumentation
    class Tracers
      # OpenTelemetry's SDK. Spans that are not recorded end without `finish`, so nothing is learnt of them.
      class OpenTelemetry
        # Kinds of the spans that a whole request or job is.
        UNITS = %i[server consumer].freeze

        class << self
          # @return [Boolean]
          def loaded? = !!defined?(::OpenTelemetry::SDK::Trace::Span)

          # @return [String] 32 hexadecimal digits
          def trace(span) = span.context.hex_trace_id

          # @return [Boolean] whether the span is the request or the job
          def of_unit?(span) = UNITS.include?(span.kind)

          # @param all [Hash{String => Float}]
          # @return [void]
          def attributes(span, all) = span.add_attributes(all)
        end

        # @yieldparam span [Object] that is about to end
        # @return [self]
        def install(&)
          ::OpenTelemetry::SDK::Trace::Span.prepend(SpanEnd.new(&))
          self
        end

        def name = "OpenTelemetry"
      end
    end
  end
end
