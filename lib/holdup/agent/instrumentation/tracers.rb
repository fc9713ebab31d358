# frozen_string_literal: true

require_relative "../recorder/open_unit"

module Holdup
  module Instrumentation
    # The application's tracers, where it has one: which trace a unit belongs to is learnt from the spans that
    # end in it, and the span of the request or job gets what the unit stalled, and for whom. So a gap in a
    # trace is explained where people look at it.
    #
    # It stands in front of the end of a span, because that is the last moment in which one can be added to.
    # Where the span is around the unit, and ends later, it gets at the unit's end what is known then. Without
    # a tracer nothing is installed.
    class Tracers
      STALLED = "holdup.stalled_ms"
      QUEUED = "holdup.queued_ms"
      CAUSED_BY = "holdup.caused_by"
      CAUSED_BY_MS = "holdup.caused_by_ms"
      NS_PER_MS = 1_000_000.0

      # @param recorder [Recorder]
      # @param tracers [Array<Module>]
      def initialize(recorder:, tracers: [OpenTelemetry, Datadog])
        @recorder = recorder
        @guard = recorder.guard
        @waiting = tracers
        @found = []
        @holders = HolderNames.new
      end

      # Joins each tracer as soon as it is loaded.
      # @return [void]
      def install
        loaded = @waiting.select(&:loaded?)
        @waiting -= loaded
        loaded.each { |tracer| tracer.install { |span| ending(tracer, span) } }
        @found += loaded
        watch if loaded.any?
      end

      # A unit begins: who waits for it asks for its name.
      # @param unit [Recorder::OpenUnit]
      # @return [void]
      def opened(unit)
        @guard.call(:tracer) { @holders.opened(unit) }
      end

      # A unit is about to end. Where its span has not ended in it, that may be around it.
      # @param unit [Recorder::OpenUnit]
      # @return [void]
      def closing(unit)
        return if unit.explained || !unit.here?
        @guard.call(:tracer) do
          @found.each { |tracer| tracer.current&.then { |span| tell(tracer, span, unit) } }
        end
      end

      # @param unit [Recorder::OpenUnit] that has ended, and has its last name
      # @return [void]
      def closed(unit)
        @guard.call(:tracer) { @holders.closed(unit) }
      end

      # @return [Hash{String => Object}]
      def facts = {}

      # @return [Array<Object>]
      def pools = []

      # @return [Hash{Symbol => Integer}]
      def gauges = {}

      # @return [Hash{String => String}]
      def profile
        @found.any? ? {"tracers" => @found.map { |tracer| tracer::TITLE }.join(", ")} : {}
      end

      private

      def watch
        @recorder.watch_holders
        @recorder.watcher = self
      end

      # A span is about to end, in a thread of the application.
      def ending(tracer, span)
        @guard.call(:tracer) do
          unit = Recorder::OpenUnit.current
          tell(tracer, span, unit) if unit&.here?
        end
      end

      def tell(tracer, span, unit)
        unit.trace = tracer.trace(span)
        return unless tracer.of_unit?(span)
        unit.explained = true
        tracer.attributes(span, attributes(unit))
      end

      def attributes(unit)
        name, ns = @holders.longest(unit)
        times = {STALLED => unit.stalled_ns, QUEUED => unit.queued_ns, CAUSED_BY_MS => ns}.compact
        {CAUSED_BY => name}.compact.merge(times.transform_values { |time| (time / NS_PER_MS).round(3) })
      end
    end

    class Tracers
      # The names of those for whom units wait. A holder often goes on while who waited for it ends: then its
      # name is what is known by now. Open units are kept weakly, so that one that nobody ever ends keeps
      # nothing alive.
      class HolderNames
        # Of so many units that have ended the name is known.
        ENDED = 1_000
        LEAST_NS = 1_000_000
        FORGOTTEN = "(a unit that has ended)"
        NAMELESS = "(a unit without a name)"
        MOST_CHARACTERS = 200

        def initialize
          @open = ObjectSpace::WeakMap.new
          @ended = {}
        end

        # @param unit [Recorder::OpenUnit] that begins
        # @return [void]
        def opened(unit)
          @open[unit.handle] = unit
        end

        # @param unit [Recorder::OpenUnit] that has ended
        # @return [void]
        def closed(unit)
          @open.delete(unit.handle)
          @ended[unit.handle] = unit.name
          @ended.shift if @ended.size > ENDED
        end

        # @param unit [Recorder::OpenUnit] that goes on, in its own thread
        # @return [Array(String, Integer), nil] the name of those for whom it waited longest, and for how many
        #   ns; nil below 1 ms
        def longest(unit)
          sums = Hash.new(0)
          unit.holders&.each { |holder, ns| sums[name(holder)] += ns }
          sums.max_by(&:last)&.then { |longest| longest if longest.last >= LEAST_NS }
        end

        private

        # Of threads outside of units it is their account's, as in reports.
        def name(holder)
          return holder if holder.is_a?(String)
          open = @open[holder]
          text = open ? open.name_so_far : @ended.fetch(holder, FORGOTTEN)
          clean(text || NAMELESS)
        end

        # The application's own names may be anything, and tracers refuse what is no good UTF-8.
        def clean(text)
          text.to_s.dup.force_encoding(Encoding::UTF_8).scrub[0, MOST_CHARACTERS]
        end
      end

      # Stands in front of a span's `finish` and tells of it before it runs.
      class SpanFinish < Module
        # @yieldparam span [Object]
        def initialize(&told)
          super(&nil) # a Module evaluates its block
          define_method(:finish) do |*arguments, **options|
            told.call(self)
            super(*arguments, **options)
          end
        end
      end

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
