# frozen_string_literal: true

module Holdup
  module View
    module TraceFormats
      # One thread of a profile: its markers in columns, and the tables of samples, which a thread must have
      # though it has none.
      class FirefoxThread
        STATES = {running: "THREAD_RUNNING", stalled: "THREAD_STALLED", idle: "THREAD_SUSPENDED",
                  unknown: "THREAD_UNKNOWN", absent: "THREAD_ABSENT"}.freeze
        # Position in the list = what a marker calls its category; the viewer wants a grey one.
        CATEGORIES = {other: "grey", running: "green", stalled: "red", idle: "transparent", unit: "blue",
                      gc: "orange"}.freeze
        NUMBERS = CATEGORIES.keys.each_with_index.to_h.freeze
        INTERVAL = 1
        EMPTY = {
          samples: %i[stack time weight],
          stackTable: %i[frame category subcategory prefix],
          frameTable: %i[address inlineDepth category subcategory func nativeSymbol innerWindowID
            implementation line column],
          funcTable: %i[name isJS relevantForJS resource fileName lineNumber columnNumber],
          resourceTable: %i[lib name host type],
          nativeSymbols: %i[libIndex address name functionSize]
        }.transform_values { |columns| {**columns.to_h { |name| [name, []] }, length: 0} }.freeze

        # `data`: what the viewer shows of it
        FirefoxMarker = Struct.new(:name, :from_ns, :to_ns, :category, :data)
        private_constant :FirefoxMarker

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
          markers = (states + units + collections).sort_by(&:from_ns)
          strings = markers.map(&:name).uniq.each_with_index.to_h
          stacks = FirefoxStacks.new(@picture, @lane, strings, category: NUMBERS.fetch(:running)).call
          {**facts, markers: columns(markers, strings), **EMPTY,
                    samples: {**EMPTY.fetch(:samples), weightType: "samples"}, **stacks, stringArray: strings.keys}
        end

        private

        def facts
          {processType: "default", processName: @picture.header.process_name, processStartupTime: 0, processShutdownTime: nil, registerTime: 0,
           unregisterTime: nil, pausedRanges: [], showMarkersInTimeline: true, isMainThread: @main, name: @picture.thread_name(@lane),
           pid: @picture.header.pid.to_s, tid: @lane.number}
        end

        def columns(markers, number)
          {data: markers.map(&:data), name: markers.map { |marker| number.fetch(marker.name) },
           startTime: markers.map { |marker| marker.from_ns / 1e6 }, endTime: markers.map { |marker| marker.to_ns / 1e6 },
           phase: Array.new(markers.size, INTERVAL), category: markers.map { |marker| NUMBERS.fetch(marker.category) }, length: markers.size}
        end

        def marker(name, from_ns, to_ns, category, **facts)
          FirefoxMarker.new(name, from_ns, to_ns, category, {type: name, **facts.compact})
        end

        def states
          @picture.periods(@lane).map do |period|
            marker(STATES.fetch(period.state), period.from_ns, period.to_ns,
              CATEGORIES.key?(period.state) ? period.state : :other, kind: period.kind, id: period.unit&.id, **waited(period))
          end
        end

        def waited(period)
          period.wait ? {waited_for: @picture.main(period.wait),
                         handoff: @picture.scene.ns(period.wait.handoff) / 1e6} : {}
        end

        def units
          @picture.units(@lane).map do |unit|
            marker("UNIT", *@picture.bounds(unit), :unit, unit: @picture.unit_name(unit), id: unit.id,
              queue: unit.queue, trace: unit.trace)
          end
        end

        def collections
          @picture.collections(@lane).map { |from_ns, to_ns| marker("GC_PAUSE", from_ns, to_ns, :gc) }
        end
      end
    end
  end
end
