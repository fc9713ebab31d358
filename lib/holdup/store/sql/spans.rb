# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # Reads spans of windows for Sql, which documents these methods.
      class Spans
        def initialize(connection, rows, codec)
          @connection = connection
          @rows = rows
          @codec = codec
        end

        def windows(from_s, to_s, seconds: nil, histograms: Window::HISTOGRAMS, **filter)
          filter = SeriesFilter.new(**filter)
          Enumerator.new do |windows|
            each_range(from_s, to_s, seconds, filter) do |range, series_ids|
              @rows.each(range, series_ids:, histograms:) { |window| windows << window }
            end
          end
        end

        def sums(from_s, to_s, step_s: nil, seconds: step_s, settings: nil, together: nil,
          histograms: Window::HISTOGRAMS, **filter)
          options = {step_s:, settings:, together:, histograms:}
          unless @connection.read { |db| @connection.dialect.concatenates?(db) }
            return SpanSum.of(windows(from_s, to_s, seconds:, **filter), **options)
          end
          sums = Sums.new(@connection, @codec, **options)
          each_range(from_s, to_s, seconds, SeriesFilter.new(**filter)) do |range, series_ids|
            sums.add(range, series_ids)
          end
          sums.to_a
        end

        def setting_starts(from_s, to_s, step_s:, **filter)
          starts = []
          each_range(from_s, to_s, step_s, SeriesFilter.new(**filter)) do |range, series_ids|
            starts.concat(@rows.setting_starts(range, series_ids:))
          end
          by_step = starts.group_by { |at_s, setting| [at_s / step_s, setting] }
          by_step.map { |(_, setting), same| [same.map(&:first).min, setting] }
        end

        def stalls(from_s, to_s, **filter)
          filter = SeriesFilter.new(**filter)
          Enumerator.new do |stalls|
            each_range(from_s, to_s, nil, filter) do |range, series_ids|
              @rows.each_stall(range, series_ids:) { |stall| stalls << stall }
            end
          end
        end

        private

        def each_range(from_s, to_s, seconds, filter)
          @connection.read do
            series_ids = filter.all? ? nil : series_ids(filter)
            next if series_ids == []
            ranges = ReadPlan.new(@rows.tiers).ranges(from_s, to_s, seconds:)
            ranges.each { |range| yield range, series_ids }
          end
        end

        def series_ids(filter)
          @codec.series.load.select { |_, series| filter.match?(series) }.keys
        end
      end
    end
  end
end
