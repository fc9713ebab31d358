# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    class SidekiqVcpu
      # The result for a terminal and for programs.
      module Report
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

        # Each job as a bar on one scale of time: dots while it was in the queue, then its states with their own
        # lengths. In truth running and stalled alternate; a bar has each state in one piece.
        class Bars
          QUEUED = "."

          # @param result [VcpuResult]
          # @param words [View::Words]
          # @param width [Integer] columns
          def initialize(result, words:, width:)
            @result = result
            @words = words
            @width = width
          end

          # @return [Array<Array(String, String)>] label and bar
          def lines
            [[" " * label_width, scale], *@result.lines.flat_map { |line| experiment(line) }]
          end

          private

          def experiment(line)
            jobs = line.best.jobs
            first_ns = jobs.map(&:queued_ns).min
            jobs.each_with_index.map { |job, index|
              [label(index.zero? ? name(line) : "", job), bar(job, first_ns)]
            }
          end

          def name(line)
            @words.call(:"lab_#{line.experiment.name}")
          end

          def label(name, job)
            "#{View::Width.left(name, label_width - 3)} #{job.name[-1]} "
          end

          def bar(job, first_ns)
            waited = columns(job.queued_ns - first_ns)
            QUEUED * waited + View::Bar.draw(job.split, columns(job.done_ns - first_ns) - waited)
          end

          # A mark at each multiple of one job alone.
          def scale
            marks = (0..longest_ns.fdiv(alone_ns).round(1).floor).to_h { |times|
              [columns(times * alone_ns), "#{times}x"]
            }
            marks.each_with_object(+"") { |(at, text), line| line << " " * [at - line.size, 0].max << text }
          end

          def columns(ns) = (ns * per_ns).round

          # Room for the last mark, which stands to the right of its place.
          def per_ns
            @per_ns ||= (@width - label_width - 2).fdiv([longest_ns, alone_ns].max)
          end

          def longest_ns
            @result.lines.map { |line| line.best.in_all_ns }.max
          end

          def alone_ns = @result.alone.each_ns

          def label_width
            @label_width ||= @result.lines.map { |line| View::Width.of(name(line)) }.max + 3
          end
        end

        # The result for programs. The keys are documented in docs/sidekiq-vcpu.md and stay; new ones may come.
        class Json
          SCHEMA = 1

          # @param result [VcpuResult]
          # @param words [View::Words] for the sentences
          def initialize(result, words: View::Words.new)
            @result = result
            @sentences = Sentences.new(result, words:)
          end

          # @return [String] ends with a newline
          def call
            "#{JSON.pretty_generate(to_h)}\n"
          end

          # @return [Hash]
          def to_h
            {schema: SCHEMA, lab: "sidekiq-vcpu", setting: @result.alone.setting.attributes, vcpus: @result.vcpus, repeats: @result.repeats,
             autoscale_target: @result.target, alone_ns: @result.alone.each_ns.round, ceiling:, experiments: @result.lines.map { |line| experiment(line) },
             headline: @sentences.headline, meaning: @sentences.meaning, advice: @sentences.advice, doubts: @sentences.doubts}
          end

          private

          def ceiling
            one = @result.ceiling
            {processes: one.processes, low: one.low.round(4), high: one.high.round(4),
             alarm: one.alarm(@result.target), processes_needed: one.processes_needed}
          end

          def experiment(line)
            {name: line.experiment.name, **line.experiment.to_h.except(:name), **ratios(line), **shares(line),
             units: line.best.jobs.map { |job| unit(job) }}
          end

          def ratios(line)
            {each: line.each, in_all: line.in_all, each_undisturbed: line.undisturbed, expected_each: line.expected.each, expected_in_all: line.expected.in_all,
             spread: line.spread}.transform_values { |ratio| ratio.round(4) }.merge(as_expected: line.as_expected?, in_all_ns: line.best.in_all_ns)
          end

          def shares(line)
            best = line.best
            {cpu_share: best.cpu_share, cores: best.cores, starved_share: best.starved_share,
             stall_caused_by_other_job: best.caused_by_job}
              .transform_values { |share| share&.round(4) }.merge(alarm: @result.alarm?(line))
          end

          def unit(job)
            {name: job.name, queued_ns: job.queued_ns, wall_ns: job.wall_ns, running_ns: job.running_ns, stalled_ns: job.stalled_ns,
             **job.split.to_h.except(:stalled).transform_keys { |state| :"#{state}_ns" }}
          end
        end
      end
    end
  end
end
