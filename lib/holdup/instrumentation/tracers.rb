# frozen_string_literal: true

require_relative "../recorder/unit"
require_relative "tracers/datadog"
require_relative "tracers/open_telemetry"

module Holdup
  module Instrumentation
    # The application's tracers, where it has one: which trace a unit belongs to is learnt from the spans that end in it, and
    # the span of the request or job gets what the unit stalled. So a gap in a trace is explained where people look at it.
    #
    # It stands in front of the end of a span, because that is the last moment in which one can be added to, whatever the order
    # of the middlewares. Without a tracer nothing is installed.
    class Tracers
      STALLED = "holdup.stalled_ms"
      QUEUED = "holdup.queued_ms"
      NS_PER_MS = 1_000_000.0

      # @param guard [Guard]
      # @param tracers [Array<Class>]
      def initialize(guard:, tracers: [OpenTelemetry, Datadog])
        @guard = guard
        @waiting = tracers
        @found = []
      end

      # Joins each tracer as soon as it is loaded.
      # @return [void]
      def install
        loaded = @waiting.select(&:loaded?)
        @waiting -= loaded
        loaded.each { |tracer| @found << tracer.new.install { |span| ending(tracer, span) } }
      end

      # @return [Hash{String => Object}]
      def facts = {}

      # @return [Array<Object>]
      def pools = []

      # @return [Hash{Symbol => Integer}]
      def gauges = {}

      # @return [Hash{String => String}]
      def profile = @found.any? ? {"tracers" => @found.map(&:name).join(", ")} : {}

      private

      # A span is about to end, in a thread of the application.
      def ending(tracer, span)
        @guard.call(:tracer) do
          unit = Recorder::Unit.current
          next unless unit&.here?
          unit.trace = tracer.trace(span)
          tracer.attributes(span, attributes(unit)) if tracer.of_unit?(span)
        end
      end

      def attributes(unit)
        {STALLED => unit.stalled_ns, QUEUED => unit.queued_ns}.compact.transform_values { |ns| (ns / NS_PER_MS).round(3) }
      end
    end
  end
end
