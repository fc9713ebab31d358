# frozen_string_literal: true

require_relative "span_finish"

module Holdup
  module Instrumentation
    class Tracers
      # Datadog's tracer (datadog 2, ddtrace 1).
      module Datadog
        TITLE = "Datadog"
        KIND = "span.kind"
        # Kinds of the spans that a whole request or job is.
        UNITS = %w[server consumer].freeze

        module_function

        # @return [Boolean]
        def loaded?
          !!defined?(::Datadog::Tracing::SpanOperation)
        end

        # @yieldparam span [Object] that is about to end
        # @return [void]
        def install(&)
          ::Datadog::Tracing::SpanOperation.prepend(SpanFinish.new(&))
        end

        # @return [Object, nil] the span that goes on here
        def current = ::Datadog::Tracing.active_span

        # @return [String] 32 hexadecimal digits
        def trace(span)
          span.trace_id.to_s(16).rjust(32, "0")
        end

        # @return [Boolean] whether the span is the request or the job
        def of_unit?(span)
          span.root? || UNITS.include?(span.get_tag(KIND))
        end

        # @param all [Hash{String => Float}]
        # @return [void]
        def attributes(span, all)
          all.each { |name, value| span.set_tag(name, value) }
        end
      end
    end
  end
end
