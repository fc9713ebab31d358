# frozen_string_literal: true

require_relative "../probe"
require_relative "../recorder"

module Holdup
  module Instrumentation
    # The application's tracers: a unit gets its trace from the spans that end in it, and the span of the
    # request or job gets the unit's stall and its causes as attributes, which explain a gap in the trace.
    #
    # Hooked before the end of a span, the last moment at which it takes attributes. A span around the unit
    # gets them at the unit's end. Without a tracer nothing is installed.
    class Tracers
      STALLED = "holdup.stalled_ms"
      QUEUED = "holdup.queued_ms"
      CAUSED_BY = "holdup.caused_by"
      CAUSED_BY_MS = "holdup.caused_by_ms"
      NS_PER_MS = 1_000_000.0

      def initialize(recorder:, tracers: [OpenTelemetry, Datadog])
        @recorder = recorder
        @guard = recorder.guard
        @waiting = tracers
        @installed = []
        @holders = HolderNames.new
      end

      def install
        loaded = @waiting.select(&:loaded?)
        @waiting -= loaded
        loaded.each { |tracer| tracer.install { |span| ending(tracer, span) } }
        @installed += loaded
        watch if loaded.any?
      end

      # Units that wait for it will ask for its name.
      def opened(unit)
        @guard.call(:tracer) { @holders.opened(unit) }
      end

      # If the unit's span has not ended in it, the current span may surround it.
      def closing(unit)
        return if unit.explained || !unit.here?
        @guard.call(:tracer) do
          @installed.each do |tracer|
            span = tracer.current
            annotate(tracer, span, unit) if span
          end
        end
      end

      def closed(unit)
        @guard.call(:tracer) { @holders.closed(unit) }
      end

      def facts = {}

      def pools = []

      # @return [Hash{Symbol => Integer}]
      def gauges = {}

      # @return [Hash{String => String}]
      def profile
        return {} if @installed.empty?
        {"tracers" => @installed.map { |tracer| tracer::TITLE }.join(", ")}
      end

      private

      def watch
        @recorder.watch_holders
        @recorder.watcher = self
      end

      # A span is about to end in one of the application's threads.
      def ending(tracer, span)
        @guard.call(:tracer) do
          unit = Recorder::OpenUnit.current
          annotate(tracer, span, unit) if unit&.here?
        end
      end

      def annotate(tracer, span, unit)
        unit.trace = tracer.trace(span)
        return unless tracer.of_unit?(span)
        unit.explained = true
        tracer.attributes(span, attributes(unit))
      end

      def attributes(unit)
        name, ns = @holders.longest(unit)
        times = {STALLED => unit.stalled_ns, QUEUED => unit.queued_ns, CAUSED_BY_MS => ns}.compact
        times_ms = times.transform_values { |time| (time / NS_PER_MS).round(3) }
        {CAUSED_BY => name}.compact.merge(times_ms)
      end
    end

    class Tracers
      # Names of the holders that units wait for. A holder often outlives the waiting unit: then its name is
      # what is known by now. References to open units are weak, so that a unit that never ends stays
      # collectable.
      class HolderNames
        # Limit of names kept of ended units.
        ENDED = 1_000
        FORGOTTEN = "(a unit that has ended)"
        NAMELESS = "(a unit without a name)"
        MOST_CHARACTERS = 200

        def initialize
          @open = ObjectSpace::WeakMap.new
          @ended = {}
        end

        def opened(unit)
          @open[unit.handle] = unit
        end

        def closed(unit)
          @open.delete(unit.handle)
          @ended[unit.handle] = unit.name
          @ended.shift if @ended.size > ENDED
        end

        # @return [Array(String, Integer), nil] name that it waited for longest, and ns; nil below 1 ms
        def longest(unit)
          sums = Hash.new(0)
          unit.holders&.each { |holder, ns| sums[name(holder)] += ns }
          longest = sums.max_by(&:last)
          longest if longest && longest.last >= Probe::HOLDER_LEAST_NS
        end

        private

        # A holder outside of units has its thread's account as name, as in reports.
        def name(holder)
          return holder if holder.is_a?(String)
          open = @open[holder]
          text = open ? open.name_so_far : @ended.fetch(holder, FORGOTTEN)
          clean(text || NAMELESS)
        end

        # Names may be any bytes, and tracers refuse invalid UTF-8.
        def clean(text)
          text.to_s.dup.force_encoding(Encoding::UTF_8).scrub[0, MOST_CHARACTERS]
        end
      end

      # Prepended to a span's class; calls the block before `finish`.
      class SpanFinish < Module
        def initialize(&before)
          super(&nil) # a Module evaluates its block
          define_method(:finish) do |*arguments, **options|
            before.call(self)
            super(*arguments, **options)
          end
        end
      end

      # OpenTelemetry's SDK. Spans that are not recorded end without `finish` and stay unnoticed.
      module OpenTelemetry
        TITLE = "OpenTelemetry"
        # Kinds of the span of a whole request or job.
        UNITS = %i[server consumer].freeze

        module_function

        def loaded?
          !!defined?(::OpenTelemetry::SDK::Trace::Span)
        end

        def install(&)
          ::OpenTelemetry::SDK::Trace::Span.prepend(SpanFinish.new(&))
        end

        def current
          span = ::OpenTelemetry::Trace.current_span
          span if span.recording?
        end

        def trace(span) = span.context.hex_trace_id

        def of_unit?(span) = UNITS.include?(span.kind)

        def attributes(span, all) = span.add_attributes(all)
      end

      # Datadog's tracer (datadog 2, ddtrace 1).
      module Datadog
        TITLE = "Datadog"
        KIND = "span.kind"
        # Kinds of the span of a whole request or job.
        UNITS = %w[server consumer].freeze

        module_function

        def loaded?
          !!defined?(::Datadog::Tracing::SpanOperation)
        end

        def install(&)
          ::Datadog::Tracing::SpanOperation.prepend(SpanFinish.new(&))
        end

        def current = ::Datadog::Tracing.active_span

        def trace(span)
          span.trace_id.to_s(16).rjust(32, "0")
        end

        def of_unit?(span)
          span.root? || UNITS.include?(span.get_tag(KIND))
        end

        def attributes(span, all)
          all.each { |name, value| span.set_tag(name, value) }
        end
      end
    end
  end
end
