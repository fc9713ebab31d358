# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # The result for a terminal or a pipe: what to remember first, then the figures, then what they mean.
      class Text
        # @param result [VcpuResult]
        # @param words [View::Words]
        # @param width [Integer] columns
        # @param table_width [Numeric] columns of tables; Layout::WHOLE: no name is cut
        # @param style [View::Style]
        def initialize(result, words: View::Words.new, width: 80, table_width: width, style: View::Style.none)
          @result = result
          @words = words
          @width = width
          @style = style
          @layout = View::Layout.new(width:, style:, table_width:)
          @sentences = Sentences.new(result, words:)
        end

        # @return [String] ends with a newline
        def call
          "#{[*head, *doubts, *table, *bars, *list(:lab_meaning, @sentences.meaning),
            *list(:lab_advice, @sentences.advice)].join("\n")}\n"
        end

        private

        def head
          [*@layout.bold(@sentences.title), "", *@layout.bold(@sentences.headline), "",
            *@sentences.facts.flat_map { |fact| @layout.lines(fact) }]
        end

        def doubts
          @sentences.doubts.flat_map { |doubt| ["", *@layout.warning(doubt)] }
        end

        def table
          ["", *@layout.table(section), *section.notes.flat_map { |note| @layout.item("  ", note) }]
        end

        def section
          @section ||= View::Section.new(title: "", columns: columns,
            rows: @result.lines.map { |line| row(line) }, notes: [@words.call(:lab_vcpu_note)])
        end

        def columns
          %i[lab_experiment lab_each lab_in_all lab_running lab_stalled lab_by_other
            lab_cpu].map { |key| @words.call(key) } <<
            @words.call(:lab_alarm, target: format("%.0f %%", @result.target * 100))
        end

        def row(line)
          best = line.best
          [@words.call(:"lab_#{line.experiment.name}"), Sentences.times(line.each), Sentences.times(line.in_all),
            *[best.mean(:running_ns), best.mean(:stalled_ns)].map { |ns| View::Figures.duration(ns) },
            View::Figures.share(best.caused_by_job), View::Figures.share(best.cpu_share), @words.call(@result.alarm?(line) ? :lab_fires : :lab_silent)]
        end

        def bars
          drawn = Bars.new(@result, words: @words, width: @width).lines.map { |label, bar| label + View::Bar.paint(bar, @style) }
          ["", *@layout.bold(@words.call(:lab_bars)), *drawn,
            *@layout.item("  ", @words.call(:lab_bars_legend))]
        end

        def list(title, sentences)
          ["", *@layout.bold(@words.call(title)),
            *sentences.flat_map { |sentence| @layout.item("- ", sentence) }]
        end
      end
    end
  end
end
