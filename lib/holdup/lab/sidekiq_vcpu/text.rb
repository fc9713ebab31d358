# frozen_string_literal: true

require_relative "../../reports/section"
require_relative "../../reports/style"
require_relative "../../reports/table"
require_relative "../../reports/words"
require_relative "bars"
require_relative "sentences"

module Holdup
  module Lab
    class SidekiqVcpu
      # The result for a terminal or a pipe: what to remember first, then the figures, then what they mean.
      class Text
        # @param result [Result]
        # @param words [Reports::Words]
        # @param width [Integer] columns
        # @param style [Reports::Style]
        def initialize(result, words: Reports::Words.new, width: 80, style: Reports::Style.none)
          @result = result
          @words = words
          @width = width
          @style = style
          @sentences = Sentences.new(result, words:)
        end

        # @return [String] ends with a newline
        def call = "#{[*head, *doubts, *table, *bars, *list(:lab_meaning, @sentences.meaning), *list(:lab_advice, @sentences.advice)].join("\n")}\n"

        private

        def head
          [bold(@sentences.title), "", *wrap(@sentences.headline).map { |line| bold(line) }, "", *@sentences.facts.flat_map { |fact| wrap(fact) }]
        end

        def doubts = @sentences.doubts.flat_map { |doubt| ["", *item("! ", doubt).map { |line| @style.paint(line, :yellow) }] }

        def table
          table = Reports::Table.new(section, width: @width)
          ["", @style.paint(table.head, :dim), *table.body, *section.notes.flat_map { |note| item("  ", note) }]
        end

        def section
          @section ||= Reports::Section.new(title: "", columns: columns, rows: @result.lines.map { |line| row(line) }, notes: [@words.call(:lab_vcpu_note)])
        end

        def columns
          %i[lab_experiment lab_each lab_in_all lab_running lab_stalled lab_by_other lab_cpu].map { |key| @words.call(key) } <<
            @words.call(:lab_alarm, target: format("%.0f %%", @result.target * 100))
        end

        def row(line)
          best = line.best
          [@words.call(:"lab_#{line.experiment.name}"), Sentences.times(line.each), Sentences.times(line.in_all),
            *[best.mean(:running_ns), best.mean(:stalled_ns)].map { |ns| Reports::Figures.duration(ns) },
            Reports::Figures.share(best.caused_by_job), Reports::Figures.share(best.cpu_share), @words.call(@result.alarm?(line) ? :lab_fires : :lab_silent)]
        end

        def bars
          drawn = Bars.new(@result, words: @words, width: @width).lines.map { |label, bar| label + Reports::Bar.paint(bar, @style) }
          ["", bold(@words.call(:lab_bars)), *drawn, *item("  ", @words.call(:lab_bars_legend))]
        end

        def list(title, sentences) = ["", bold(@words.call(title)), *sentences.flat_map { |sentence| item("- ", sentence) }]

        def item(mark, text)
          wrap(text, @width - mark.size).each_with_index.map { |line, index| (index.zero? ? mark : " " * mark.size) + line }
        end

        def wrap(text, columns = @width) = Reports::Width.wrap(text, columns)

        def bold(text) = @style.paint(text, :bold)
      end
    end
  end
end
