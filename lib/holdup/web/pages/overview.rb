# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # The answer at a glance: the verdict, where the time goes, who causes and who suffers stall, what
      # stands out.
      class Overview < Base
        include SummaryJson
        include TimeSeriesBlocks
        include PageFindings
        include SplitBlock

        TOP = 5
        COLUMNS = %i[name count p95 split suffered each].freeze

        # @return [Array<Object>]
        def blocks
          return nothing if summary.empty?
          [lead, Blocks::Notes.new(texts: headline.figures + headline.remarks), split, table(View::Sections::DistributionTable), over_time, changes.table,
            causes, sufferers, findings(word(:stands_out)), table(View::Sections::SettingTable)].compact
        end

        def live? = query.live?

        private

        def lead = Blocks::Lead.new(text: headline.verdict)

        def causes
          table(View::Sections::BlameTable,
            limit: TOP).with(more: Blocks::Link.new(text: word(:all_blame), page: "blame"))
        end

        def sufferers
          Units::Table.new(summary, words: @words, link: method(:unit_link)).call(summary.rows.first(TOP),
            columns: COLUMNS, title: word(:sufferers))
            .with(more: Blocks::Link.new(text: word(:all_endpoints),
              page: (summary.unit_kind == :job) ? "jobs" : "endpoints"))
        end
      end
    end
  end
end
