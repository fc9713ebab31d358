# frozen_string_literal: true

module Holdup
  module Report
    # Those endpoints and jobs that wait most and make others wait most, one a row: how often they run, how
    # long they take and took over time, where that goes, what it costs others, and why.
    class ImpactTable
      # Parts of the summary that it needs.
      PARTS = [:coverage, *Diagnosis::PARTS].freeze

      # @param summary [Analysis::Summary] by name, with PARTS
      # @return [Array<Analysis::SeriesRow>] so many rows, those that matter most first
      def self.rows(summary, limit)
        summary.rows.max_by(limit) { |row| [row.stalled_ns + row.caused_ns, row.wall_ns] }
      end

      # @param slow [Hash{Analysis::SeriesRow => Array<Integer, nil>}] p95 over time, in ns
      # @param link [#call] row => the cell of its name
      def initialize(summary, slow:, words:, link:)
        @summary = summary
        @slow = slow
        @words = words
        @link = link
        @diagnosis = DiagnosisSentence.new(summary, words:, link:, brief: true)
      end

      # @param rows [Array<Analysis::SeriesRow>]
      # @return [View::Section]
      def call(rows)
        View::Section.new(title: word(:impact), columns:, rows: rows.map { |row| cells(row) })
      end

      private

      def word(key, **facts) = @words.call(key, **facts)

      def columns
        titles = %i[by_name rate_column p95 impact_slow impact_split impact_caused].map { |key| word(key) }
        [*titles, View::Blocks::Column.new(text: word(:impact_why), words: true)]
      end

      def cells(row)
        p95 = View::Figures.duration(row.histogram(:wall).quantile(0.95))
        bar = View::Blocks::Bar.of(row.split, @words)
        [@link.call(row), View::Figures.rate(@summary.row_rate(row)), p95, over_time(row), bar, caused(row),
          @diagnosis.call(row)]
      end

      def over_time(row)
        values = @slow.fetch(row, [])
        most = values.compact.max or return View::Figures::NONE
        View::Blocks::Sparkline.new(values:, label: word(:impact_peak, peak: View::Figures.duration(most)))
      end

      def caused(row)
        whole_ns = @summary.blame.whole_ns
        share = whole_ns.zero? ? 0.0 : row.caused_ns.fdiv(whole_ns)
        View::Blocks::Heat.new(text: View::Figures.duration(row.caused_ns), share:)
      end
    end
  end
end
