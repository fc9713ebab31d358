# frozen_string_literal: true

module Holdup
  module Report
    # Reads how long a few endpoints or jobs took over time. A small line has few points, and reading
    # distributions takes most of the time of a long span.
    module SlowOverTimeReader
      POINTS = 40
      Q = 0.95

      module_function

      # @param rows [Array<Analysis::SeriesRow>]
      # @param filter [Analysis::UnitFilter]
      # @return [Hash{Analysis::SeriesRow => Array<Integer, nil>}] p95 in ns for each step
      def call(store, rows, from_s:, to_s:, filter:)
        return {} if rows.empty? || from_s >= to_s
        # A store has sums of round steps: reading those of days is many times faster than adding up hours.
        step_s = Queries::TimeSeriesQuery.step_s(from_s, to_s, store.finest_s(from_s), points: POINTS)
        starts = (from_s / step_s * step_s...to_s).step(step_s).to_a
        windows = windows(store, rows, starts.first, to_s, step_s:, filter:)
        rows.to_h do |row|
          own = windows.fetch([row.kind, row.name, row.queue], {})
          [row, starts.map { |start_s| own[start_s] && quantile(own[start_s]) }]
        end
      end

      # @return [Hash{Array => Hash{Integer => Array<Window>}}] by kind, name and queue, and start of the step
      def windows(store, rows, from_s, to_s, step_s:, filter:)
        names = rows.map { |row| Analysis::UnitFilter.glob_of(row.name) }.uniq
        sums = store.sums(from_s, to_s, step_s:, kinds: Series::UNITS, names:, histograms: [:wall])
        windows = sums.map(&:window).select { |window| filter.setting?(window.setting) }
        by_series = windows.group_by { |window| window.series.to_h.values_at(:kind, :name, :queue) }
        by_series.transform_values { |same| same.group_by { |window| window.start_s / step_s * step_s } }
      end

      def quantile(windows)
        Histogram.sum(windows.map { |window| window.histograms[:wall] }).quantile(Q)
      end
      private_class_method :windows, :quantile
    end
  end
end
