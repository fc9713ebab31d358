# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    class Jobs
      # The result as a page: the verdict, doubts, then measured and predicted side by side.
      class Report
        def initialize(result, words: View::Words.new)
          @result = result
          @words = words
          @sentences = Sentences.new(result, words:)
        end

        # @return [View::Page]
        def page
          verdict = @sentences.verdict.map { |text| View::Blocks::Lead.new(text:) }
          doubts = View::Blocks::Notes.new(texts: @sentences.doubts, warning: true)
          notes = [*@sentences.facts, @words.call(:lab_jobs_note)]
          View::Page.new(title: @sentences.title,
            blocks: [*verdict, doubts, Table.new(@result, words: @words).section(notes:)])
        end

        # The result as sentences.
        class Sentences
          def initialize(result, words:)
            @result = result
            @words = words
          end

          def title
            @words.call(:lab_jobs_title, sidekiq: setting["jobs_version"], ruby: setting["ruby"],
              vcpus: setting["vcpus"])
          end

          def facts
            count = View::Figures.count(@result.count)
            measured = @words.call(:lab_jobs_facts, count:, rounds: @result.round_count)
            noise = @words.call(:lab_jobs_noise, noise: share(@result.noise)) if @result.noise
            [measured, noise].compact
          end

          def verdict
            enough = @result.enough
            sentence = @words.call(:lab_jobs_enough, threads: enough.threads,
              rate: View::Figures.rate(enough.measured), share: share(JobsResult::ENOUGH))
            @result.others.any? ? [sentence, accuracy] : [sentence]
          end

          # @return [Array<String>] reasons to trust the figures less
          def doubts
            doubts = []
            doubts << stopped if @result.left.positive?
            doubts << open_end if @result.open_ended?
            doubts << @words.call(:lab_jobs_errors, count: @result.errors) if @result.errors.positive?
            doubts << dearest if @result.dearest
            doubts << locked if @result.locked.any?
            doubts
          end

          # @return [String] an error such as "+1.6 %"
          def self.signed(error)
            "#{View::Figures.change(error)} %"
          end

          private

          def setting = @result.setting

          def stopped
            all = @result.plan.steps.size
            @words.call(:lab_jobs_stopped, left: @result.left, all:, path: @result.path)
          end

          def open_end
            @words.call(:lab_jobs_open_end, threads: @result.enough.threads,
              share: share(1 - @result.enough.median(&:gvl_share)))
          end

          def accuracy
            @words.call(:lab_jobs_accuracy, baseline: @result.baseline, replay: share(@result.worst),
              closed: share(@result.worst(:closed)), amdahl: share(@result.worst(:amdahl)))
          end

          def dearest
            line = @result.dearest
            @words.call(:lab_jobs_cost, threads: line.threads, share: self.class.signed(@result.cost(line)),
              baseline: @result.baseline)
          end

          def locked
            line = @result.locked.last
            @words.call(:lab_jobs_locked, threads: line.threads, share: share(line.median(&:lock_share)))
          end

          def share(value) = View::Figures.share(value)
        end

        # Measured and predicted side by side.
        class Table
          # Strings are the same in every language; symbols are translated.
          COLUMNS = [:threads, :measured, :replay, :error, :closed, "Amdahl", :running, :stalled, "p95",
            "GVL"].freeze

          def initialize(result, words:)
            @result = result
            @words = words
          end

          # @param notes [Array<String>] under it
          # @return [View::Section]
          def section(notes:)
            columns = COLUMNS.map { |name| name.is_a?(String) ? name : @words.call(:"lab_jobs_#{name}") }
            lines = [*@result.lines, *@result.again].sort_by(&:threads)
            View::Section.new(title: "", columns:, rows: lines.map { |line| row(line) }, notes:)
          end

          private

          def row(line)
            [
              "#{line.threads}#{mark(line)}",
              rate(line.measured),
              rate(line.predicted(:replay)),
              Sentences.signed(line.error),
              rate(line.predicted(:closed)),
              rate(line.predicted(:amdahl)),
              duration(line.median { |reading| reading.mean(:running) }),
              duration(line.median { |reading| reading.mean(:stalled) }),
              duration(line.median(&:p95_ns)),
              View::Figures.share(line.median(&:gvl_share))
            ]
          end

          def mark(line)
            return " ~" if line.again
            (line.threads == @result.baseline) ? " *" : ""
          end

          def rate(jobs_per_second) = View::Figures.rate(jobs_per_second)

          def duration(ns) = View::Figures.duration(ns)
        end

        # The result for programs. The keys are documented in docs/guide/lab-jobs.md and stable; new ones may
        # be added.
        class Json
          SCHEMA = 1
          WAYS = %i[replay closed amdahl].freeze
          MEANS = %i[wall running stalled idle cpu_ns lock_ns acquisitions].freeze

          # @param words [View::Words] for the sentences
          def initialize(result, words: View::Words.new)
            @result = result
            @sentences = Sentences.new(result, words:)
          end

          # @return [String] ends with a newline
          def call = "#{JSON.pretty_generate(to_h)}\n"

          def to_h
            {
              schema: SCHEMA,
              lab: "jobs",
              setting: @result.setting,
              baseline: @result.baseline,
              rounds: @result.round_count,
              jobs: @result.count,
              errors: @result.errors,
              stopped: !@result.signal.nil?,
              left: @result.left,
              noise: @result.noise&.round(4),
              enough: @result.enough.threads,
              lines: @result.lines.map { |line| line(line) },
              verdict: @sentences.verdict,
              doubts: @sentences.doubts
            }
          end

          private

          def line(line)
            {
              threads: line.threads,
              measured: line.readings.map { |reading| reading.throughput.round(3) },
              **WAYS.to_h { |way| [way, predicted(line, way)] },
              gvl_share: line.median(&:gvl_share).round(4),
              lock_share: line.median(&:lock_share).round(4),
              p95_ns: line.median(&:p95_ns).round,
              mean: MEANS.to_h { |key| [key, line.median { |reading| reading.mean(key) }.round(1)] }
            }
          end

          def predicted(line, way)
            {jobs_per_second: line.predicted(way).round(3),
             errors: line.errors(way).values.map { |error| error.round(4) }}
          end
        end
      end
    end
  end
end
