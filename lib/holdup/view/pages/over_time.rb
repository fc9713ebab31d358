# frozen_string_literal: true

module Holdup
  module View
    module Pages
      # For pages about all chosen units: where their time went, and their figures over time.
      module OverTime
        SPLIT_COLUMNS = %i[state share per_unit sum meaning].freeze

        # @return [Hash{String => Chart}]
        def charts = time_series_charts.to_h

        private

        def split
          row = summary.total
          Blocks::Split.new(title: word(:states), bar: Blocks::Bar.of(row.split, @words),
            columns: SPLIT_COLUMNS.map { |key| word(key) },
            rows: row.split.members.map { |state| split_row(row, state) })
        end

        def split_row(row, state)
          ns = row.split.public_send(state)
          Blocks::SplitRow.new(state:, name: word(:"state_#{state}"),
            share: Figures.share(row.split.share(state)), each: Figures.duration(row.per_unit(ns)),
            sum: Figures.duration(ns), meaning: word(:"meaning_#{state}"))
        end

        def time_series
          from_s, to_s = shown
          @time_series ||= Queries::TimeSeriesQuery.call(store, from_s:, to_s:, filter:,
            histograms: histograms_over_time)
        end

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
