# frozen_string_literal: true

module Holdup
  module Advise
    # Throughput and waits of settings by threads, one line per number of processes. Marks the measured and
    # the advised setting, and crosses out those that a guard rejects.
    class CandidatesChart
      PERCENTILE = 0.95
      FIGURES = {"most" => [:rate, :ceiling.to_proc],
                 "p95" => [:ns, ->(prediction) { prediction.responses[PERCENTILE] }],
                 "wait" => [:ns, :wait_ns.to_proc]}.freeze

      # @param result [Sizing::AdviceResult, nil]
      def initialize(result, words:)
        @result = result
        @words = words
      end

      # @return [View::Blocks::InlineCharts, nil] nil without a verdict
      def call
        return if @result.nil? || @result.verdict == :unknown
        charts = FIGURES.to_h { |name, (unit, read)| [title(name, unit, read), chart(unit, read)] }
        drawn = charts.select { |_, chart| chart.series.any? }
        View::Blocks::InlineCharts.new(charts: drawn, notes: [word(:candidates_note)])
      end

      private

      def word(key, **facts) = @words.call(key, **facts)

      # What the chart shows, and its values of the settings that are marked.
      def title(name, unit, read)
        marked = predictions.select { |one| name(one) }.sort_by { |one| (one.candidate == now) ? 0 : 1 }
        found = marked.filter_map do |one|
          value = read.call(one) or next
          text = View::Figures.public_send(View::Chart::FORMATS.fetch(unit), value)
          word(:candidates_found, name: name(one), value: text)
        end
        shown = word(:"candidates_#{name}")
        found.empty? ? shown : word(:candidates_title, shown:, found: @words.list(found))
      end

      def chart(unit, read)
        series = lines.filter_map { |processes, by_threads| line(processes, by_threads, read) }
        View::Chart.new(kind: :line, unit:, series:, x: View::Chart::Axis.new(unit: :count, values: threads),
          points: points(read), marks: [View::Chart::Mark.new(at: @result.amdahl, label: "")])
      end

      def line(processes, by_threads, read)
        values = threads.map { |count| by_threads[count] && read.call(by_threads[count]) }
        View::Chart::Line.new(label: word(:candidates_line, count: processes), values:) if values.any?
      end

      def threads
        @threads ||= predictions.map { |one| one.candidate.threads }.uniq.sort
      end

      # @return [Hash{Integer => Hash{Integer => Sizing::Forecast::Prediction}}] by processes and threads
      def lines
        @lines ||= begin
          by_processes = predictions.group_by { |one| one.candidate.processes }
          nearest = by_processes.min_by(View::Chart::LINES) { |processes, _| (processes - now.processes).abs }
          nearest.sort.to_h.transform_values { |same| same.to_h { |one| [one.candidate.threads, one] } }
        end
      end

      # Those that differ from the measured setting only in threads and processes.
      def predictions
        @predictions ||= @result.predictions.select do |one|
          one.candidate.with(threads: now.threads, processes: now.processes) == now
        end
      end

      def now = @result.now

      def points(read)
        lines.values.flat_map(&:values).filter_map { |one| point(one, read.call(one)) }
      end

      def point(prediction, value)
        label = name(prediction)
        return if value.nil? || (label.nil? && prediction.allowed?)
        View::Chart::Point.new(x: prediction.candidate.threads, y: value, label:)
      end

      def name(prediction)
        return word(:candidates_now) if prediction.candidate == now
        return unless @result.verdict == :change
        word(:candidates_best) if prediction.candidate == @result.best.candidate
      end
    end
  end
end
