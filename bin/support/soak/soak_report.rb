# frozen_string_literal: true

require_relative "../../../benchmark/support/machine"
require_relative "trend"

module Soak
  # What grew and what did not: each figure at the begin and at the end, and its slope with an interval.
  class SoakReport
    # Key, words, unit, and digits after the point.
    # `less`: key of what is not counted
    SoakFigure = Data.define(:key, :name, :scale, :digits, :tolerance, :less) do
      def initialize(key:, name:, scale: 1, digits: 1, tolerance: Trend::TOLERANCE, less: nil)
        super
      end
    end

    # One line. `verdict`: nil for a line that is only for comparison
    Row = Data.define(:figure, :name, :trend, :verdict)

    MB = 1e6
    MS = 1e6
    # Of both shops; the difference is judged.
    COMPARED = [
      SoakFigure.new(key: :worker_pss, name: "web worker, PSS, MB *", scale: MB, less: :worker_files),
      SoakFigure.new(key: :worker_descriptors, name: "web worker, descriptors", tolerance: 0),
      SoakFigure.new(key: :worker_threads, name: "web worker, threads", tolerance: 0),
      SoakFigure.new(key: :sidekiq_rss, name: "Sidekiq, RSS, MB *", scale: MB, less: :sidekiq_files),
      SoakFigure.new(key: :sidekiq_descriptors, name: "Sidekiq, descriptors", tolerance: 0)
    ].freeze
    # Of the clients; latencies scatter far more than memory.
    LATENCIES = {
      0.5 => SoakFigure.new(key: :p50, name: "latency, p50, ms", scale: MS, tolerance: 0.1),
      0.99 => SoakFigure.new(key: :p99, name: "latency, p99, ms", scale: MS, tolerance: 0.1)
    }.freeze
    # What only the measured shop has.
    OWN = [
      SoakFigure.new(key: :collector_rss, name: "collector, RSS, MB", scale: MB),
      SoakFigure.new(key: :collector_descriptors, name: "collector, descriptors", digits: 0, tolerance: 0),
      SoakFigure.new(key: :dashboard_rss, name: "dashboard, RSS, MB", scale: MB),
      SoakFigure.new(key: :segments, name: "segments", digits: 0, tolerance: 0)
    ].freeze
    # What grows by design until its limit.
    BOUNDED = [
      SoakFigure.new(key: :worker_files, name: "* files of a web worker, MB", scale: MB, digits: 2),
      SoakFigure.new(key: :sidekiq_files, name: "* files of Sidekiq, MB", scale: MB, digits: 2),
      SoakFigure.new(key: :segment_bytes, name: "segments, MB", scale: MB, digits: 2),
      SoakFigure.new(key: :store_bytes, name: "store, MB", scale: MB, digits: 2),
      SoakFigure.new(key: :captures, name: "captures (at most 50)", digits: 0),
      SoakFigure.new(key: :capture_bytes, name: "captures, MB (at most 200)", scale: MB, digits: 2)
    ].freeze
    # Of the run, and not longer: processes that have just booted load code and compile it.
    WARM_UP = 0.2
    LONGEST_WARM_UP_S = 600
    WORDS = {flat: "flat", grows: "grows", unknown: "can't say", bounded: "by design"}.freeze
    WIDTHS = [27, 8, 8, 26, 9].freeze

    # @param samples [Array<SoakRun::Sample>]
    # @param loads [Array<SteadyLoad>] with Holdup, without
    # @param facts [Hash] see SoakRun
    def initialize(samples:, loads:, facts:)
      @facts = facts
      @loads = loads
      from_s = warm_from(samples)
      @samples = samples.select { |sample| sample.at_s >= from_s }
      @answers = loads.map { |load| load.answers.select { |answer| answer.at_s >= from_s && answer.status } }
    end

    # @return [Boolean] whether all answers were as intended and nothing of Holdup failed
    def sound?
      @loads.all? { |load| load.unexpected.zero? } && @facts[:failures].empty?
    end

    # @return [String] for a terminal of 80 columns
    def text
      lines = [line(*HEADERS)]
      rows.each { |row| lines << line(row.name, *cells(row)) }
      [*wrapped(sentences), "", *lines, "", *wrapped(remarks), ""].join("\n")
    end

    # @return [String]
    def markdown
      table = rows.map { |row| "| #{[row.name.gsub(/\A  /, "– "), *cells(row)].join(" | ")} |" }
      head = ["| #{HEADERS.join(" | ")} |", "| --- | ---: | ---: | ---: | --- |"]
      [*sentences, "", *head, *table, "", *remarks, ""].join("\n")
    end

    HEADERS = ["figure", "begin", "end", "per hour (90 % interval)", "verdict"].freeze

    # @return [Array<Row>]
    def rows
      @rows ||= [
        *COMPARED.flat_map { |figure| compared(figure, *both(figure)) },
        *LATENCIES.flat_map { |quantile, figure| compared(figure, *latencies(quantile)) },
        *OWN.filter_map { |figure| own(figure) },
        *BOUNDED.filter_map { |figure| own(figure, verdict: :bounded) }
      ]
    end

    private

    def warm_from(samples)
      return 0 if samples.empty?
      from, to = samples.map(&:at_s).minmax
      from + [(to - from) * WARM_UP, LONGEST_WARM_UP_S].min
    end

    def both(figure) = %i[with without].map { |shop| Trend.of(values(shop, figure)) }

    def values(shop, figure)
      @samples.filter_map do |sample|
        figures = sample.public_send(shop)
        value = figures[figure.key]
        [sample.at_s, value - figures.fetch(figure.less, 0)] if value
      end
    end

    # Percentiles of the answers of each block.
    def latencies(quantile)
      @answers.map do |answers|
        pairs = answers.map { |answer| [answer.at_s, answer.latency_ns] }
        points = Trend.blocks(pairs).map do |block|
          latencies = block.map(&:last).sort
          [Trend.middle(block.map(&:first)), Holdup::Lab::Exchange::Percentile.of(latencies, quantile)]
        end
        Trend.new(points)
      end
    end

    def compared(figure, with, without)
      difference = with - without
      verdict = difference.verdict(whole: without.first, tolerance: figure.tolerance)
      [
        Row.new(figure:, name: figure.name, trend: with, verdict: nil),
        Row.new(figure:, name: "  without Holdup", trend: without, verdict: nil),
        Row.new(figure:, name: "  difference", trend: difference, verdict:)
      ]
    end

    def own(figure, verdict: nil)
      trend = Trend.of(values(:with, figure))
      return if trend.points.empty?
      verdict ||= trend.verdict(tolerance: figure.tolerance)
      Row.new(figure:, name: figure.name, trend:, verdict:)
    end

    def cells(row)
      trend = row.trend
      [number(row, trend.first), number(row, trend.last), slope(row), WORDS.fetch(row.verdict, "")]
    end

    def slope(row)
      interval = row.trend.interval or return "too short"
      signed = [row.trend.slope, interval.begin, interval.end].map { |value| number(row, value, sign: "+") }
      "#{signed[0]} (#{signed[1]}..#{signed[2]})"
    end

    def number(row, value, sign: "")
      return "–" unless value
      text = format("%#{sign}.#{row.figure.digits}f", value / row.figure.scale)
      text.match?(/\A[+-]0(\.0+)?\z/) ? text.delete("+-") : text
    end

    def line(name, first, last, slope, verdict)
      cells = [name.ljust(WIDTHS[0]), first.rjust(WIDTHS[1]), last.rjust(WIDTHS[2]), slope.rjust(WIDTHS[3]),
        verdict.ljust(WIDTHS[4])]
      cells.join(" ").rstrip
    end

    def wrapped(sentences)
      sentences.flat_map { |sentence| sentence.scan(/(\S.{0,77}\S|\S)(?=\s|\z)/).flatten }
    end

    def sentences
      options = @facts[:options]
      [
        "#{@facts[:minutes]} minutes#{", stopped by hand" if @facts[:stopped]}: " \
          "#{options.rate} requests and #{options.jobs} jobs a second to each shop,",
        "a page of the dashboard each #{options.poll} s. #{WARM_UP_WORDS}"
      ]
    end

    WARM_UP_WORDS = "The first fifth (at most 10 min) is left out."
    private_constant :WARM_UP_WORDS

    def remarks
      [
        "* Without the files of Holdup in memory, which have rows of their own: segments grow with new " \
          "names and methods up to a limit, a capture rule has a buffer of 8 MB.",
        *counted,
        "Pages of the dashboard by status: #{tally(@facts[:pages])}.",
        "Answers with an unintended status: #{@loads.map(&:unexpected).join(" with Holdup, ")} without; " \
          "lost: #{@loads.map(&:lost).join(", ")}.",
        "Failures of Holdup in the logs: #{@facts[:failures].size}.",
        *@facts[:failures].first(5).map { |line| "  #{line.strip[0, 76]}" },
        "Measured #{@facts[:date]}: #{Bench::MachineDescription.to_s.sub(/, load average.*/, "")}; " \
          "load average of the machine meanwhile: #{load_average}."
      ]
    end

    def counted
      sent, stored = @facts.values_at(:sent, :stored)
      exact = @facts[:whole] ? "exactly" : "NOT exactly"
      ["Counted #{exact}: #{sent[:request]} requests answered, #{stored[:request]} in the store; " \
        "#{sent[:job]} jobs, #{stored[:job]} in the store."]
    end

    def load_average
      values = @facts[:load_averages]
      return "not known" if values.empty?
      format("%.2f (%.2f..%.2f)", Trend.middle(values), *values.minmax)
    end

    def tally(counts) = counts.map { |status, count| "#{status}: #{count}" }.join(", ")
  end
end
