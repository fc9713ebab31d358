# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # All endpoints, or all jobs, sorted by what one asks for.
      class UnitsPage < Base
        include SummaryJson

        SORT = "suffered"

        # @return [Array<Object>]
        def blocks
          return nothing if summary.empty?
          table = Units::Table.new(summary, words: @words, link: method(:unit_link))
          [Blocks::Notes.new(texts: headline.figures),
            table.call(sorted.first(query.limit), title: word(:each_of_them), order:,
              notes: [*more, word(:units_note)])]
        end

        def asks = %w[name least]

        # @return [String] as CSV with all figures as they are
        def export(ending, title)
          refuse_unmatched
          (ending == "csv") ? Units::Csv.call(sorted, summary) : super
        end

        private

        def filter = query.filter(kind: self.class::KIND)

        def summary = @summary ||= read(filter:)

        def order
          @order ||= Units::Order.new(query["sort"] || SORT, query["dir"])
        end

        def sorted = @sorted ||= order.call(listed, summary)

        def listed
          summary.rows.select { |row| row.count >= query.least }
        end

        def more
          hidden = sorted.size - query.limit
          hidden.positive? ? [word(:more_rows_here, count: View::Figures.count(hidden))] : []
        end
      end
    end
  end
end
