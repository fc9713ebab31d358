# frozen_string_literal: true

require_relative "../recorder/open_unit"
require_relative "tracers/datadog"
require_relative "tracers/holder_names"
require_relative "tracers/open_telemetry"

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
  end
end
