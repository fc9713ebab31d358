# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # What settings would do, over threads, with a line for each number of processes: how much they can
      # take, and what a unit waits. The setting that was measured and the one that is advised are marked;
      # those that a guard rejects are crossed out.
      class Candidates
        LINES = 6
        PERCENTILE = 0.95
        FIGURES = {"most" => [:rate, :ceiling.to_proc],
                   "p95" => [:ns, ->(one) { one.responses[PERCENTILE] }], "wait" => [:ns, :wait_ns.to_proc]}.freeze

        # @param recommendation [Sizing::Recommendation, nil]
        # @param words [View::Words]
        def initialize(recommendation, words:)
          @recommendation = recommendation
          @words = words
        end

        # @return [PageCharts, nil] nil where nothing can be said
        def call
          return if @recommendation.nil? || @recommendation.verdict == :unknown
          PageCharts.new(
            charts: FIGURES.to_h { |name, (unit, read)|
              [word(:"candidates_#{name}"),
                chart(unit, read)]
            }.select { |_, chart| chart.series.any? }, notes: [word(:candidates_note)]
          )
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        def chart(unit, read)
          series = lines.filter_map { |processes, same| line(processes, same, read) }
          Chart.new(kind: :line, unit:, series:, x: Chart::Axis.new(unit: :count, values: threads),
            points: points(read), marks: [Chart::Mark.new(at: @recommendation.amdahl, label: "")])
        end

        def line(processes, same, read)
          values = threads.map { |count| (one = same[count]) && read.call(one) }
          Chart::Line.new(label: word(:candidates_line, count: processes), values:) if values.any?
        end

        def threads
          @threads ||= plain.map { |one| one.candidate.threads }.uniq.sort
        end

        # By processes, then by threads.
        def lines
          @lines ||= plain.group_by { |one| one.candidate.processes }.min_by(LINES) { |processes, _| (processes - now.processes).abs }.sort.to_h
            .transform_values { |same|
            same.to_h { |one| [one.candidate.threads, one] }
          }
        end

        # Those that differ from the measured one in nothing else.
        def plain
          @plain ||= @recommendation.predictions.select { |one|
            one.candidate.with(threads: now.threads, processes: now.processes) == now
          }
        end

        def now = @recommendation.now

        def points(read)
          lines.values.flat_map(&:values).filter_map { |one| point(one, read.call(one)) }
        end

        def point(one, value)
          label = name(one)
          Chart::Point.new(x: one.candidate.threads, y: value, label:) if value && (label || !one.allowed?)
        end

        def name(one)
          return word(:candidates_now) if one.candidate == now
          if @recommendation.verdict == :change && one.candidate == @recommendation.best.candidate
            word(:candidates_best)
          end
        end
      end
    end
  end
end
