# frozen_string_literal: true

module Holdup
  module View
    module Pages
      # For pages about all chosen units: where their time went, and their figures over time.
      module OverTime
        # @return [Hash{String => Chart}]
        def charts = time_series_charts.to_h

        private

        def split = Blocks::Split.of(summary.total, @words)

        def time_series
          from_s, to_s = shown
          @time_series ||= Queries::TimeSeriesQuery.call(store, from_s:, to_s:, filter:,
            histograms: histograms_over_time, methods: methods_over_time?)
        end

        def methods_over_time? = false

        def histograms_over_time
          Queries::TimeSeriesQuery::OF_UNITS
        end

        # The GVL chart covers all that ran; it lacks data from before processes were recorded separately.
        def charted
          Charts::TimeSeries::NAMES + (time_series.gvl.empty? ? [] : ["gvl"])
        end

        def time_series_charts
          Charts::TimeSeries.new(time_series, words: @words, names: charted, marks: changes.to_a)
        end

        def changes
          @changes ||= Charts::TimeSeries::Changes.new(marks, words: @words)
        end

        def over_time
          return if time_series.empty?
          table = Charts::TimeSeries::Table.new(time_series, words: @words, names: charted,
            limit: query.limit)
          Blocks::FetchedCharts.new(title: word(:over_time), names: time_series_charts.titles,
            twin: table.call, part:)
        end
      end
    end
  end
end
