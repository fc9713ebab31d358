# frozen_string_literal: true

module Holdup
  module View
    module Pages
      # Start page: the verdict, where the time goes, who causes and who suffers stall, findings.
      class Overview < Base
        include Base::OverTime

        TOP = 5
        COLUMNS = %i[name count p95 split suffered each].freeze

        def blocks
          return nothing if summary.empty?
          [Blocks::Lead.new(text: headline.verdict),
            Blocks::Notes.new(texts: headline.figures + headline.remarks), split,
            section(Sections::Times::DistributionTable), over_time, changes.table, causes, sufferers,
            findings(word(:stands_out)), section(Sections::Processes::SettingTable)].compact
        end

        def live? = query.live?

        private

        def causes
          more = Blocks::Link.new(text: word(:all_blame), page: "blame")
          section(Sections::Stalls::BlameTable, limit: TOP).with(more:)
        end

        def sufferers
          table = Units::Table.new(summary, words: @words, link: method(:unit_link))
          page = (summary.unit_kind == :job) ? "jobs" : "endpoints"
          table.call(summary.rows.first(TOP), columns: COLUMNS, title: word(:sufferers))
            .with(more: Blocks::Link.new(text: word(:all_endpoints), page:))
        end
      end
    end
  end
end
