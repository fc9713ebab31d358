# frozen_string_literal: true

module Holdup
  module Captures
    module TraceFormats
      # The processed profile of the Firefox Profiler, which ui.perfetto.dev also opens: a track per thread,
      # markers for states, units and collections, and holders as samples if the capture has stacks. The
      # viewer upgrades older versions.
      class Firefox
        VERSIONS = {version: 28, preprocessedProfileVersion: 48}.freeze
        # Label of a marker in the chart: its own text, else its name.
        SCHEMAS = {
          "THREAD_RUNNING" => nil, "THREAD_STALLED" => "for {marker.data.waited_for}",
          "THREAD_SUSPENDED" => "{marker.data.kind}",
          "THREAD_UNKNOWN" => nil, "THREAD_ABSENT" => nil, "GC_PAUSE" => nil, "UNIT" => "{marker.data.unit}"
        }.freeze
        FIELDS = [["waited_for", "Waited for", "string"], ["handoff", "Hand-off", "duration"],
          ["kind", "Kind", "string"],
          ["unit", "Unit", "string"], ["id", "Unit's number", "integer"],
          ["queue", "Queue", "string"]].map { |key, label, format|
          {
            key:, label:, format:, searchable: true
          }
        }.freeze

        def initialize(picture)
          @picture = picture
        end

        def call
          {meta:, libs: [], pages: [], counters: [], threads:}
        end

        private

        def threads
          @picture.lanes.each_with_index.map { |lane, index|
            ThreadProfile.new(@picture, lane, main: index.zero?).call
          }
        end

        def meta
          {interval: 1, startTime: @picture.recording.realtime_ns(0) / 1e6, processType: 0,
           product: "Holdup: #{@picture.header.process_name}", stackwalk: 0,
           symbolicated: true, categories:, markerSchema: schemas,
           initialVisibleThreads: (0...@picture.lanes.size).to_a, **VERSIONS}
        end

        def categories
          ThreadProfile::CATEGORIES.map { |name, color| {name: name.to_s, color:, subcategories: ["Other"]} }
        end

        def schemas
          SCHEMAS.map do |name, said|
            {name:, display: %w[marker-chart marker-table timeline-overview], data: FIELDS,
             **(said ? {chartLabel: said, tableLabel: said, tooltipLabel: "{marker.name} #{said}"} : {})}
          end
        end

        # What one thread ran, for the call tree and the flame graph: a sample for each piece of a hold that
        # has a stack, weighted by its milliseconds. Tables grow as stacks need them.
        class Stacks
          # @param strings [Hash{String => Integer}] the thread's string table; missing strings are added
          # @param category [Integer] of everything that runs
          def initialize(picture, lane, strings, category:)
            @picture = picture
            @lane = lane
            @strings = strings
            @category = category
            @functions = {}
            @frames = {}
            @stacks = {}
          end

          # @return [Hash{Symbol => Hash}] tables of a thread; none without samples
          def call
            samples = @picture.ran(@lane).map { |from_ns, to_ns, frames|
              [stack(frames), from_ns / 1e6, (to_ns - from_ns) / 1e6]
            }
            samples.empty? ? {} : {samples: samples_of(samples), stackTable: stack_table,
                                   frameTable: frame_table, funcTable: function_table}
          end

          private

          def stack(frames)
            frames.reverse.inject(nil) { |prefix, frame|
              number(@stacks, [prefix, number(@frames, [function(frame), frame.at])])
            }
          end

          def function(frame)
            number(@functions, [string(frame.label), frame.path && string(frame.path), frame.line])
          end

          def string(text) = number(@strings, text)

          def number(table, key) = table[key] ||= table.size

          def samples_of(samples)
            stack, time, weight = samples.transpose
            {stack:, time:, weight:, weightType: "tracing-ms", length: samples.size}
          end

          def stack_table
            prefix, frame = @stacks.keys.transpose
            {frame:, prefix:, category: all(@stacks, @category), subcategory: all(@stacks, 0),
             length: @stacks.size}
          end

          def frame_table
            func, line = @frames.keys.transpose
            {address: all(@frames, -1), inlineDepth: all(@frames, 0), category: all(@frames, @category),
             subcategory: all(@frames, 0), func:, line: line.map { |at| at unless at.zero? },
             **%i[nativeSymbol innerWindowID implementation column].to_h { |name| [name, all(@frames, nil)] },
             length: @frames.size}
          end

          def function_table
            name, file, line = @functions.keys.transpose
            {name:, fileName: file, lineNumber: line, isJS: all(@functions, false),
             relevantForJS: all(@functions, false), resource: all(@functions, -1),
             columnNumber: all(@functions, nil), length: @functions.size}
          end

          def all(table, value) = Array.new(table.size, value)
        end

        # One thread of a profile: its markers in columns, and the tables of samples, which are required even
        # if empty.
        class ThreadProfile
          STATES = {running: "THREAD_RUNNING", stalled: "THREAD_STALLED", idle: "THREAD_SUSPENDED",
                    unknown: "THREAD_UNKNOWN", absent: "THREAD_ABSENT"}.freeze
          # A marker refers to its category by the index in this list; the viewer requires a grey one.
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

          # `data`: details that the viewer shows
          FirefoxMarker = Struct.new(:name, :from_ns, :to_ns, :category, :data)
          private_constant :FirefoxMarker

          # @param main [Boolean] whether the viewer treats it as the process's main thread
          def initialize(picture, lane, main:)
            @picture = picture
            @lane = lane
            @main = main
          end

          def call
            markers = (states + units + collections).sort_by(&:from_ns)
            strings = markers.map(&:name).uniq.each_with_index.to_h
            stacks = Stacks.new(@picture, @lane, strings, category: NUMBERS.fetch(:running)).call
            {**facts, markers: columns(markers, strings), **EMPTY,
                      samples: {**EMPTY.fetch(:samples), weightType: "samples"}, **stacks,
                      stringArray: strings.keys}
          end

          private

          def facts
            {processType: "default", processName: @picture.header.process_name, processStartupTime: 0,
             processShutdownTime: nil, registerTime: 0,
             unregisterTime: nil, pausedRanges: [], showMarkersInTimeline: true, isMainThread: @main,
             name: @picture.thread_name(@lane),
             pid: @picture.header.pid.to_s, tid: @lane.number}
          end

          def columns(markers, number)
            {data: markers.map(&:data), name: markers.map { |marker| number.fetch(marker.name) },
             startTime: markers.map { |marker| marker.from_ns / 1e6 },
             endTime: markers.map { |marker| marker.to_ns / 1e6 },
             phase: Array.new(markers.size, INTERVAL),
             category: markers.map { |marker| NUMBERS.fetch(marker.category) }, length: markers.size}
          end

          def marker(name, from_ns, to_ns, category, **facts)
            FirefoxMarker.new(name, from_ns, to_ns, category, {type: name, **facts.compact})
          end

          def states
            @picture.periods(@lane).map do |period|
              marker(STATES.fetch(period.state), period.from_ns, period.to_ns,
                CATEGORIES.key?(period.state) ? period.state : :other, kind: period.kind, id: period.unit&.id,
                **waited(period))
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
end
