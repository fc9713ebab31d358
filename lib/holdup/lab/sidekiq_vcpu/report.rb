# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # The result for a terminal and for programs.
      module Report
        # The result for a terminal or a pipe: the main sentence, the figures, then their meaning.
        class Text
          # @param table_width [Numeric] columns of tables; Layout::WHOLE cuts no name
          def initialize(result, words: View::Words.new, width: 80, table_width: width,
            style: View::Style.none)
            @result = result
            @words = words
            @width = width
            @style = style
            @layout = View::Layout.new(width:, style:, table_width:)
            @sentences = Sentences.new(result, words:)
          end

          def call
            meaning = list(:lab_meaning, @sentences.meaning)
            advice = list(:lab_advice, @sentences.advice)
            "#{[*head, *doubts, *table, *bars, *meaning, *advice].join("\n")}\n"
          end

          private

          def head
            facts = @sentences.facts.flat_map { |fact| @layout.lines(fact) }
            [*@layout.bold(@sentences.title), "", *@layout.bold(@sentences.headline), "", *facts]
          end

          def doubts
            @sentences.doubts.flat_map { |doubt| ["", *@layout.warning(doubt)] }
          end

          def table
            ["", *@layout.table(section), *section.notes.flat_map { |note| @layout.item("  ", note) }]
          end

          def section
            @section ||= View::Section.new(title: "", columns:, rows: @result.lines.map { |line| row(line) },
              notes: [@words.call(:lab_vcpu_note)])
          end

          def columns
            names = %i[lab_experiment lab_each lab_in_all lab_running lab_stalled lab_by_other lab_cpu]
            alarm = @words.call(:lab_alarm, target: format("%.0f %%", @result.target * 100))
            [*names.map { |name| @words.call(name) }, alarm]
          end

          def row(line)
            best = line.best
            [
              @words.call(:"lab_#{line.experiment.name}"),
              Sentences.times(line.each),
              Sentences.times(line.in_all),
              View::Figures.duration(best.mean(:running_ns)),
              View::Figures.duration(best.mean(:stalled_ns)),
              View::Figures.share(best.caused_by_job),
              View::Figures.share(best.cpu_share),
              @words.call(@result.alarm?(line) ? :lab_fires : :lab_silent)
            ]
          end

          def bars
            lines = Bars.new(@result, words: @words, width: @width).lines
            painted = lines.map { |label, bar| label + View::Bar.paint(bar, @style) }
            legend = @layout.item("  ", @words.call(:lab_bars_legend))
            ["", *@layout.bold(@words.call(:lab_bars)), *painted, *legend]
          end

          def list(title, sentences)
            items = sentences.flat_map { |sentence| @layout.item("- ", sentence) }
            ["", *@layout.bold(@words.call(title)), *items]
          end
        end

        # Each job as a bar on one time scale: dots while queued, then each state by its total length. In fact
        # running and stalled alternate.
        class Bars
          QUEUED = "."

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
            jobs.each_with_index.map do |job, index|
              [label(index.zero? ? name(line) : "", job), bar(job, first_ns)]
            end
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
            longest = longest_ns.fdiv(alone_ns).round(1).floor
            (0..longest).each_with_object(+"") do |times, line|
              column = columns(times * alone_ns)
              line << " " * [column - line.size, 0].max << "#{times}x"
            end
          end

          def columns(ns) = (ns * per_ns).round

          # Leaves room for the last mark, which extends to the right.
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

        # The result for programs. The keys are documented in docs/sidekiq-vcpu.md and stable; new ones may be
        # added.
        class Json < ReportJson
          SCHEMA = 1

          # @param words [View::Words] for the sentences
          def initialize(result, words: View::Words.new)
            super(result, Sentences.new(result, words:))
          end

          def to_h
            {
              schema: SCHEMA,
              lab: "sidekiq-vcpu",
              setting: @result.alone.setting.attributes,
              vcpus: @result.vcpus,
              repeats: @result.repeats,
              autoscale_target: @result.target,
              alone_ns: @result.alone.each_ns.round,
              ceiling:,
              experiments: @result.lines.map { |line| experiment(line) },
              headline: @sentences.headline,
              meaning: @sentences.meaning,
              advice: @sentences.advice,
              doubts: @sentences.doubts
            }
          end

          private

          def ceiling
            ceiling = @result.ceiling
            {
              processes: ceiling.processes,
              low: ceiling.low.round(4),
              high: ceiling.high.round(4),
              alarm: ceiling.alarm(@result.target),
              processes_needed: ceiling.processes_needed
            }
          end

          def experiment(line)
            {
              name: line.experiment.name,
              **line.experiment.to_h.except(:name),
              **ratios(line),
              **shares(line),
              units: line.best.jobs.map { |job| job(job) }
            }
          end

          def ratios(line)
            ratios = {
              each: line.each,
              in_all: line.in_all,
              each_undisturbed: line.undisturbed,
              expected_each: line.expected.each,
              expected_in_all: line.expected.in_all,
              spread: line.spread
            }
            {
              **ratios.transform_values { |ratio| ratio.round(4) },
              as_expected: line.as_expected?,
              in_all_ns: line.best.in_all_ns
            }
          end

          def shares(line)
            best = line.best
            shares = {
              cpu_share: best.cpu_share,
              cores: best.cores,
              starved_share: best.starved_share,
              stall_caused_by_other_job: best.caused_by_job
            }
            {**shares.transform_values { |share| share&.round(4) }, alarm: @result.alarm?(line)}
          end

          def job(job)
            states = job.split.to_h.except(:stalled).transform_keys { |state| :"#{state}_ns" }
            {
              name: job.name,
              queued_ns: job.queued_ns,
              wall_ns: job.wall_ns,
              running_ns: job.running_ns,
              stalled_ns: job.stalled_ns,
              **states
            }
          end
        end
      end
    end
  end
end
