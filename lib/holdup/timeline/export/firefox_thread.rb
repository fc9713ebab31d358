# frozen_string_literal: true

require_relative "firefox_stacks"

module Holdup
  module Timeline
    module Export
      # One thread of a profile: its markers in columns, and the tables of samples, which a thread must have though it has none.
      class FirefoxThread
        STATES = {running: "THREAD_RUNNING", stalled: "THREAD_STALLED", idle: "THREAD_SUSPENDED", unknown: "THREAD_UNKNOWN", absent: "THREAD_ABSENT"}.freeze
        # Position in the list = what a marker calls its category; the viewer wants a grey one.
        CATEGORIES = {other: "grey", running: "green", stalled: "red", idle: "transparent", unit: "blue", gc: "orange"}.freeze
        NUMBERS = CATEGORIES.keys.each_with_index.to_h.freeze
        INTERVAL = 1
        EMPTY = {
          samples: %i[stack time weight],
          stackTable: %i[frame category subcategory prefix],
          frameTable: %i[address inlineDepth category subcategory func nativeSymbol innerWindowID implementation line column],
          funcTable: %i[name isJS relevantForJS resource fileName lineNumber columnNumber],
          resourceTable: %i[lib name host type],
          nativeSymbols: %i[libIndex address name functionSize]
        }.transform_values { |columns| {**columns.to_h { |name| [name, []] }, length: 0} }.freeze

        # @param picture [Picture]
        # @param lane [Lane]
        # @param main [Boolean] whether the viewer takes it for the process's first
        def initialize(picture, lane, main:)
          @picture = picture
          @lane = lane
          @main = main
        end

        # @return [Hash]
        def call
          markers = (states + units + collections).sort_by { |marker| marker.fetch(:from_ns) }
          strings = markers.map { |marker| marker.fetch(:name) }.uniq.each_with_index.to_h
          stacks = FirefoxStacks.new(@picture, @lane, strings, category: NUMBERS.fetch(:running)).call
          {**facts, markers: columns(markers, strings), **EMPTY, samples: {**EMPTY.fetch(:samples), weightType: "samples"}, **stacks, stringArray: strings.keys}
        end

        private

        def facts
          {processType: "default", processName: @picture.header.process_name, processStartupTime: 0, processShutdownTime: nil, registerTime: 0,
           unregisterTime: nil, pausedRanges: [], showMarkersInTimeline: true, isMainThread: @main, name: @picture.thread_name(@lane),
           pid: @picture.header.pid.to_s, tid: @lane.number}
        end

        def columns(markers, number)
          {data: markers.map { |marker| data(marker) }, name: markers.map { |marker| number.fetch(marker.fetch(:name)) },
           startTime: markers.map { |marker| marker.fetch(:from_ns) / 1e6 }, endTime: markers.map { |marker| marker.fetch(:to_ns) / 1e6 },
           phase: Array.new(markers.size, INTERVAL), category: markers.map { |marker| NUMBERS.fetch(marker.fetch(:category)) }, length: markers.size}
        end

        def data(marker) = {type: marker.fetch(:name), **marker.fetch(:facts).compact}

        def states
          @picture.periods(@lane).map do |period|
            {name: STATES.fetch(period.state), from_ns: period.from_ns, to_ns: period.to_ns, category: CATEGORIES.key?(period.state) ? period.state : :other, facts: told(period)}
          end
        end

        def told(period)
          facts = {kind: period.kind, id: period.unit&.id}
          period.wait ? facts.merge(waited_for: @picture.main(period.wait), handoff: @picture.scene.ns(period.wait.handoff) / 1e6) : facts
        end

        def units
          @picture.units(@lane).map do |unit|
            from_ns, to_ns = @picture.bounds(unit)
            {name: "UNIT", from_ns:, to_ns:, category: :unit, facts: {unit: @picture.unit_name(unit), id: unit.id, queue: unit.queue, trace: unit.trace}}
          end
        end

        def collections = @picture.collections(@lane).map { |from_ns, to_ns| {name: "GC_PAUSE", from_ns:, to_ns:, category: :gc, facts: {}} }
      end
    end
  end
end
