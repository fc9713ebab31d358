# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "../probe"
require_relative "../recorder"
require_relative "../../model/quantities"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # The application's tracers: a unit gets its trace from the spans that end in it, and the span of the
    # request or job gets the unit's stall and its causes as attributes, which explain a gap in the trace. The
    # span of a call to another system gets how long it waited for the answer, and how long for the GVL.
    #
    # Hooked before the end of a span, the last moment at which it takes attributes, and after its begin. A
    # span around the unit gets them at the unit's end. Without a tracer nothing is installed.
    class Tracers
      include Runtime::Resource

      STALLED = "holdup.stalled_ms"
      REMOTE = "holdup.remote_ms"
      QUEUED = "holdup.queued_ms"
      CAUSED_BY = "holdup.caused_by"
      CAUSED_BY_MS = "holdup.caused_by_ms"
      LOCK_ENDED_BY = "holdup.lock_ended_by"
      LOCK_ENDED_BY_MS = "holdup.lock_ended_by_ms"

      def initialize(recorder:, tracers: [OpenTelemetry, Datadog])
        @recorder = recorder
        @guard = recorder.guard
        @waiting = tracers
        @installed = []
        @holders = Recorder::HolderNames.new
      end

      def install
        loaded = @waiting.select(&:loaded?)
        @waiting -= loaded
        loaded.each do |tracer|
          edges = SpanEdges.new(->(span) { begun(tracer, span) }, ->(span) { ending(tracer, span) })
          edges.install(tracer, @guard)
        end
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

      # For who asks whom a unit has waited for.
      # @return [String, nil]
      def holder_name(handle) = @holders.known_name(handle)

      # @return [Hash{String => String}]
      def profile
        return {} if @installed.empty?
        {"tracers" => @installed.map { |tracer| tracer::TITLE }.join(", ")}
      end

      private

      def watch
        @recorder.watcher = self
      end

      # A span has begun in one of the application's threads.
      def begun(tracer, span)
        return unless tracer.perhaps_call?(span)
        @guard.call(:tracer) do
          unit = Recorder::OpenUnit.current
          CallWaits.begin(span, unit) if unit&.here?
        end
      end

      # A span is about to end in one of the application's threads.
      def ending(tracer, span)
        @guard.call(:tracer) do
          unit = Recorder::OpenUnit.current
          next unless unit&.here?
          annotate(tracer, span, unit)
          annotate_call(tracer, span, unit) if tracer.call?(span)
        end
      end

      def annotate_call(tracer, span, unit)
        waits = CallWaits.since_begin(span, unit) or return
        tracer.attributes(span, in_ms(REMOTE => waits.idle_ns, STALLED => waits.stalled_ns))
      end

      def annotate(tracer, span, unit)
        unit.trace = tracer.trace(span)
        return unless tracer.of_unit?(span)
        unit.explained = true
        tracer.attributes(span, attributes(unit))
      end

      def attributes(unit)
        cause, stalled_ns = @holders.longest(unit.holders)
        ender, locked_ns = @holders.longest(unit.lock_ends)
        times_ms = in_ms(STALLED => unit.stalled_ns, QUEUED => unit.queued_ns, CAUSED_BY_MS => stalled_ns,
          LOCK_ENDED_BY_MS => locked_ns)
        {CAUSED_BY => cause, LOCK_ENDED_BY => ender}.compact.merge(times_ms)
      end

      # @param times [Hash{String => Integer, nil}] ns; nil: unknown
      def in_ms(times)
        times.compact.transform_values { |time| time.fdiv(MS).round(3) }
      end
    end

    class Tracers
      # How long a unit has been idle and has stalled: when the span of a call began, or in that span. While
      # the call is open, the thread is idle because it waits for the answer.
      #
      # - `handle`: of the unit; `idle_ns`: nil on a thread that follows its fibers, where it is unknown
      CallWaits = Data.define(:handle, :idle_ns, :stalled_ns) do
        def self.of(unit)
          new(handle: unit.handle, idle_ns: unit.idle_ns, stalled_ns: unit.stalled_ns)
        end

        # Kept in the span, which ends in the same unit or gets nothing.
        def self.begin(span, unit)
          return if span.instance_variable_defined?(CallWaits::KEPT)
          span.instance_variable_set(CallWaits::KEPT, of(unit))
        end

        # @return [CallWaits, nil] nil when the span began elsewhere, or the unit's times are unknown
        def self.since_begin(span, unit)
          first = span.instance_variable_get(CallWaits::KEPT)
          return unless first && first.handle == unit.handle && first.stalled_ns && unit.stalled_ns
          now = of(unit)
          idle_ns = now.idle_ns - first.idle_ns if now.idle_ns && first.idle_ns
          now.with(idle_ns:, stalled_ns: now.stalled_ns - first.stalled_ns)
        end
      end
      CallWaits::KEPT = :@holdup_waits

      # The methods that begin and end a tracer's span.
      class SpanEdges
        # @param begun [#call] gets the span after its begin
        # @param ending [#call] gets the span before `finish`
        def initialize(begun, ending)
          @begun = begun
          @ending = ending
        end

        def install(tracer, guard)
          hook(tracer.span, tracer.beginning, guard) do |method|
            "holdup_result = #{method.call}\nHoldupSpans.begun(self)\nholdup_result"
          end
          hook(tracer.span, :finish, guard) { |method| "HoldupSpans.ending(self)\n#{method.call}" }
        end

        def begun(span) = @begun.call(span)

        def ending(span) = @ending.call(span)

        private

        def hook(owner, name, guard, &)
          Hooks::MethodHook.new(owner, name, by: :tracer, constants: {HoldupSpans: self}, &).install(guard)
        end
      end

      # OpenTelemetry's SDK. Spans that are not recorded end without `finish` and stay unnoticed.
      module OpenTelemetry
        TITLE = "OpenTelemetry"
        # Kinds of the span of a whole request or job.
        UNITS = %i[server consumer].freeze
        # Kinds of the span of a call to another system.
        CALLS = %i[client producer].freeze

        module_function

        def loaded?
          !!defined?(::OpenTelemetry::SDK::Trace::Span)
        end

        def span = ::OpenTelemetry::SDK::Trace::Span

        def beginning = :initialize

        def current
          span = ::OpenTelemetry::Trace.current_span
          span if span.recording?
        end

        def trace(span) = span.context.hex_trace_id

        def of_unit?(span) = UNITS.include?(span.kind)

        def perhaps_call?(span) = CALLS.include?(span.kind)

        def call?(span) = CALLS.include?(span.kind)

        def attributes(span, all) = span.add_attributes(all)
      end

      # Datadog's tracer (datadog 2, ddtrace 1).
      module Datadog
        TITLE = "Datadog"
        KIND = "span.kind"
        # Kinds of the span of a whole request or job.
        UNITS = %w[server consumer].freeze
        # Kinds of the span of a call to another system.
        CALLS = %w[client producer].freeze

        module_function

        def loaded?
          !!defined?(::Datadog::Tracing::SpanOperation)
        end

        def span = ::Datadog::Tracing::SpanOperation

        def beginning = :start

        def current = ::Datadog::Tracing.active_span

        def trace(span)
          span.trace_id.to_s(16).rjust(32, "0")
        end

        def of_unit?(span)
          kind = span.get_tag(KIND)
          UNITS.include?(kind) || (span.root? && !CALLS.include?(kind))
        end

        # Most spans get their kind after their begin.
        def perhaps_call?(_span) = true

        def call?(span) = CALLS.include?(span.get_tag(KIND))

        def attributes(span, all)
          all.each { |name, value| span.set_tag(name, value) }
        end
      end
    end
  end
end
