# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # The result for a terminal or a pipe: the verdict, then measured and predicted side by side.
      class Text
        # Texts are the same in every language.
        COLUMNS = [:threads, :measured, :replay, :error, :closed, "Amdahl", :running, :stalled, "p95",
          "GVL"].freeze

        # @param result [JobsResult]
        # @param words [View::Words]
        # @param width [Integer] columns
        # @param table_width [Numeric] columns of tables; Layout::WHOLE: no name is cut
        # @param style [View::Style]
        def initialize(result, words: View::Words.new, width: 80, table_width: width, style: View::Style.none)
          @result = result
          @words = words
          @layout = View::Layout.new(width:, style:, table_width:)
          @sentences = Sentences.new(result, words:)
        end

        # @return [String] ends with a newline
        def call
          "#{[*@layout.bold(@sentences.title), "", *verdict, *doubts, "", *@layout.table(section),
            *notes].join("\n")}\n"
        end

        private

        def verdict
          @sentences.verdict.flat_map { |sentence| @layout.bold(sentence) }
        end

        def doubts
          @sentences.doubts.flat_map { |doubt| ["", *@layout.warning(doubt)] }
        end

        def notes
          ["", *[*@sentences.facts, @words.call(:lab_jobs_note)].flat_map { |note| @layout.item("  ", note) }]
        end

        def section
          columns = COLUMNS.map { |name| name.is_a?(String) ? name : @words.call(:"lab_jobs_#{name}") }
          View::Section.new(title: "", columns:,
            rows: [*@result.lines, *@result.again].sort_by(&:threads).map { |line| row(line) })
        end

        def row(line)
          ["#{line.threads}#{mark(line)}", *rates(line), *[:running, :stalled].map { |key| duration(line.median { |reading| reading.mean(key) }) },
            duration(line.median(&:p95_ns)), View::Figures.share(line.median(&:gvl_share))]
        end

        def mark(line)
          return " ~" if line.again
          (line.threads == @result.baseline) ? " *" : ""
        end

        def rates(line)
          measured, *predicted = [line.measured,
            *%i[replay closed amdahl].map { |way| line.predicted(way) }].map { |rate|
            View::Figures.rate(rate)
          }
          [measured, predicted.shift, Sentences.signed(line.error), *predicted]
        end

        def duration(ns) = View::Figures.duration(ns)
      end
    end
  end
end
