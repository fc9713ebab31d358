# frozen_string_literal: true

module Holdup
  module Report
    # The one picture of the overview: how many threads wait for the GVL, stacked by who holds it, and who
    # keeps the GVL busy. Where hardly anything waits for it: what threads do instead.
    class OverviewPicture
      NAME = 40
      # Pixels: the upper chart is the picture.
      WAITING_HEIGHT = 128
      HELD_HEIGHT = 80
      WAITING = "waiting"
      HELD = "held"
      BUSY = "busy"

      # In a minute of a calm hour, chance alone does Thresholds::STALLED.
      ONE_STEP = 2 * Analysis::Thresholds::STALLED

      # @param series [Analysis::TimeSeries]
      # @param total [Analysis::SeriesRow] all of the same requests and jobs
      # @return [Boolean] whether they wait for the GVL as far as that matters, in the whole span or in one
      #   step
      def self.contended?(series, total)
        return true if Analysis::StallVerdict.stalls?(total)
        shares = series.shares[:stalled]
        whole = series.complete(shares).compact
        # A recording of some seconds has no whole step.
        (whole.empty? ? shares.compact : whole).any? { |share| share >= ONE_STEP }
      end

      # @param series [Analysis::TimeSeries]
      # @param gvl [Analysis::GvlOverTime, nil] nil, or empty: threads are shown by state
      # @param marks [Array<View::Chart::Mark>]
      def initialize(series, gvl, words:, marks: [])
        @series = series
        @gvl = gvl unless gvl.nil? || gvl.empty?
        @words = words
        @marks = marks
      end

      # @return [Hash{String => View::Chart}]
      def charts
        @charts ||= @gvl ? {WAITING => waiting, HELD => held}.compact : {BUSY => busy}
      end

      # @return [Hash{String => String}] by name
      def titles
        charts.to_h { |name, chart| [name, titled(name, chart)] }
      end

      # @param twin [View::Section] its table
      # @param part [View::Blocks::SpanLink, nil]
      # @return [View::Blocks::FetchedCharts]
      def block(twin:, part: nil)
        View::Blocks::FetchedCharts.new(title: nil, names: titles, twin:, part:, stacked: true)
      end

      # @param limit [Integer] rows
      # @return [View::Section]
      def table(limit)
        newest = @series.at_s.each_index.to_a.reverse.first(limit)
        columns = charts.flat_map { |name, chart| columns(name, chart) }
        rows = newest.map do |index|
          cells = columns.map { |column| View::Figures.public_send(column.figure, column.values[index]) }
          [View::Blocks::Moment.step(@series.at_s[index], @series.step_s, {}), *cells]
        end
        step = View::Figures.rough(@series.step_s * NS)
        View::Section.new(title: word(:picture_table), columns: [word(:moment), *columns.map(&:title)], rows:,
          notes: [word(:picture_note, step:)])
      end

      private

      def word(key, **facts) = @words.call(key, **facts)

      # Of a stack, its sum.
      def titled(name, chart)
        title = word(:"picture_#{name}", server: @gvl&.server)
        found = View::Charts::TimeSeries::LatestAndPeak.of(@series.complete(sum(chart)), @series.at_s)
        return title unless found
        found.title(title, line: nil, figure: View::Chart::FORMATS.fetch(chart.unit), words: @words)
      end

      def sum(chart)
        @series.at_s.each_index.map do |index|
          values = chart.series.filter_map { |line| line.values[index] }
          values.sum if values.any?
        end
      end

      def waiting
        chart(:rate, layers(@gvl.waiting), limits: ceiling, points: [*worst], height: WAITING_HEIGHT,
          bare: (true if held))
      end

      def held
        return @held if defined?(@held)
        @held = held_chart
      end

      def held_chart
        return if @gvl.held.values.flatten.compact.sum.zero?
        steep = View::Chart::Mark.new(at: Analysis::Thresholds::FULL, label: word(:chart_steep))
        chart(:share, layers(@gvl.held), limits: [steep], most: View::Charts::TimeSeries::ALL,
          height: HELD_HEIGHT, marks: @marks.map { |mark| mark.with(label: nil) })
      end

      def busy
        lines = @series.in_state.map do |state, values|
          View::Chart::Line.new(label: word(:"state_#{state}"), values:, state:)
        end
        chart(:rate, lines, height: WAITING_HEIGHT)
      end

      def chart(unit, series, **options)
        series = series.map { |line| line.with(values: @series.without_partial_end(line.values)) }
        x = View::Chart::Axis.new(unit: :time, values: @series.at_s)
        View::Chart.new(kind: :stack, unit:, series:, x:, marks: @marks, **options)
      end

      # Each name has one colour in both charts.
      def layers(lists)
        lists.map do |party, values|
          index = @gvl.names.index(party)
          state = index ? View::Chart::NAMES.fetch(index) : party.kind
          View::Chart::Line.new(label: name(party), values:, state:)
        end
      end

      def name(party)
        return word(:"party_#{party.kind}") unless party.named?
        text = View::Width.clean(party.name.delete_prefix(Series::THREAD)).sub(View::MainWait::ENDING, "")
        text = word(:account, name: text) if party.kind == :account
        View::Width.truncate(text, NAME)
      end

      # @return [Array<View::Chart::Mark>] how many threads there are now, which all could wait
      def ceiling
        threads = @gvl.threads.compact.last.to_i
        return [] unless threads.positive?
        [View::Chart::Mark.new(at: threads, label: word(:picture_threads, count: threads))]
      end

      # @return [View::Chart::Point, nil] the step in which most threads waited
      def worst
        total = @series.complete(@gvl.total)
        index = total.each_index.select { |step| total[step] }.max_by { |step| total[step] } or return
        cause = @gvl.names.max_by { |party| @gvl.waiting[party][index] }
        share = View::Figures.rounded_share(@gvl.waiting[cause][index].fdiv(total[index]))
        label = word(:picture_worst, count: View::Figures.rate(total[index]), share:, name: name(cause))
        View::Chart::Point.new(x: @series.at_s[index], y: total[index], label:)
      end

      # `figure`: the View::Figures method that formats the values
      PictureColumn = Data.define(:title, :figure, :values)
      private_constant :PictureColumn

      def columns(name, chart)
        chart.series.map do |line|
          title = word(:"picture_#{name}_of", name: line.label)
          PictureColumn.new(title:, figure: View::Chart::FORMATS.fetch(chart.unit), values: line.values)
        end
      end
    end
  end
end
