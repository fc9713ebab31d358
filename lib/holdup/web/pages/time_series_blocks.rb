# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # Figures over time, for pages that show them.
      module TimeSeriesBlocks
        # @return [Hash{String => Chart}]
        def charts = coursed.to_h

        private

        def course
          from_s, to_s = shown
          @course ||= Queries::TimeSeriesQuery.call(store, from_s:, to_s:, filter:,
            histograms: histograms_over_time)
        end

        def histograms_over_time
          Queries::TimeSeriesQuery::OF_UNITS
        end

        # The GVL is of all that ran; nobody knows it of what ran before processes were kept apart.
        def charted
          Charts::TimeSeriesCharts::NAMES + (course.gvl.empty? ? [] : ["gvl"])
        end

        def coursed
          Charts::TimeSeriesCharts.new(course, words: @words, names: charted, marks: changes.to_a)
        end

        def changes
          @changes ||= Charts::Changes.new(marks, words: @words)
        end

        def over_time
          return if course.empty?
          twin = Charts::TimeSeriesTable.new(course, words: @words, names: charted, limit: query.limit).call
          Charts::Block.new(title: word(:over_time), names: coursed.titles, twin:, part:)
        end
      end
    end
  end
end
