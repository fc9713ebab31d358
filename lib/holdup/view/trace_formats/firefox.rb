# frozen_string_literal: true

module Holdup
  module View
    module TraceFormats
      # The processed profile of the Firefox Profiler, which ui.perfetto.dev opens as well: a thread a track,
      # markers for states, units and collections, and what held as samples where the capture has stacks. The
      # viewer brings older versions up to its own.
      class Firefox
        VERSIONS = {version: 28, preprocessedProfileVersion: 48}.freeze
        # How a marker is told in the chart: its own words, else its name.
        SCHEMAS = {
          "THREAD_RUNNING" => nil, "THREAD_STALLED" => "for {marker.data.waited_for}", "THREAD_SUSPENDED" => "{marker.data.kind}",
          "THREAD_UNKNOWN" => nil, "THREAD_ABSENT" => nil, "GC_PAUSE" => nil, "UNIT" => "{marker.data.unit}"
        }.freeze
        FIELDS = [["waited_for", "Waited for", "string"], ["handoff", "Hand-off", "duration"], ["kind", "Kind", "string"],
          ["unit", "Unit", "string"], ["id", "Unit's number", "integer"], ["queue", "Queue", "string"]].map { |key, label, format|
          {
            key:, label:, format:, searchable: true
          }
        }.freeze

        # @param picture [Picture]
        def initialize(picture)
          @picture = picture
        end

        # @return [Hash]
        def call
          {meta:, libs: [], pages: [], counters: [], threads:}
        end

        private

        def threads
          @picture.lanes.each_with_index.map { |lane, index|
            FirefoxThread.new(@picture, lane, main: index.zero?).call
          }
        end

        def meta
          {interval: 1, startTime: @picture.recording.realtime_ns(0) / 1e6, processType: 0, product: "Holdup: #{@picture.header.process_name}", stackwalk: 0,
           symbolicated: true, categories:, markerSchema: schemas, initialVisibleThreads: (0...@picture.lanes.size).to_a, **VERSIONS}
        end

        def categories
          FirefoxThread::CATEGORIES.map { |name, color| {name: name.to_s, color:, subcategories: ["Other"]} }
        end

        def schemas
          SCHEMAS.map do |name, said|
            {name:, display: %w[marker-chart marker-table timeline-overview], data: FIELDS,
             **(said ? {chartLabel: said, tableLabel: said, tooltipLabel: "{marker.name} #{said}"} : {})}
          end
        end
      end
    end
  end
end
