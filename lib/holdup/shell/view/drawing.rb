# frozen_string_literal: true

module Holdup
  module View
    # Bars and charts made of characters, for a terminal and for Markdown. All of them are ASCII, which aligns
    # in every terminal.
    class Drawing
      # Symbols of the series of a chart, in their order: the first is a bar, the others are marks on its
      # line.
      SYMBOLS = ["#", "a", ":"].freeze
      # Columns in front of a bar, and behind it for what extends to the right.
      MARGIN = 5
      REST = 8
      QUEUED = "."

      # @param width [Integer] columns
      def initialize(width:, style: Style.none)
        @width = width
        @style = style
      end

      # @param bar [Blocks::Bar]
      # @return [String] one line
      def bar(bar, columns = @width)
        Bar.paint(Bar.fill(bar.parts, columns), @style)
      end

      # @param chart [Chart] a few lines over whole numbers
      # @return [Array<String>] the legend, then a line for each number
      def plot(chart)
        scale = (@width - MARGIN - REST) / chart.series.flat_map(&:values).max
        names = chart.series.zip(SYMBOLS).map { |line, symbol| "#{symbol} #{line.label}" }
        rows = chart.x.values.each_with_index.map do |x, index|
          ends = chart.series.map { |line| (line.values[index] * scale).round }
          "#{x.to_s.rjust(MARGIN - 2)} |#{stroke(ends)}"
        end
        [*Width.wrap(names.join("   "), @width), *rows]
      end

      # @param block [Blocks::TimeBars]
      # @return [Array<String>] the scale, then a line for each bar
      def time_bars(block)
        margin = block.bars.map { |bar| Width.of(bar.group) }.max + 3
        per_ns = (@width - margin - 2).fdiv([*block.bars.map(&:ended_ns), block.unit_ns].max)
        shown = nil
        lines = block.bars.map do |bar|
          group = (bar.group == shown) ? "" : bar.group
          shown = bar.group
          "#{Width.left(group, margin - 3)} #{bar.name} #{time_bar(bar, per_ns)}"
        end
        [" " * margin + scale(block, per_ns), *lines]
      end

      private

      # The earlier series stay visible where two ends meet.
      def stroke(ends)
        first, *others = ends
        cells = SYMBOLS.first * first
        others.zip(SYMBOLS.drop(1)).reverse_each do |column, symbol|
          cells = cells.ljust(column)
          cells[[column - 1, 0].max] = symbol
        end
        cells
      end

      def time_bar(bar, per_ns)
        queued = (bar.queued_ns * per_ns).round
        worked = (bar.ended_ns * per_ns).round - queued
        QUEUED * queued + Bar.paint(Bar.draw(bar.split, worked), @style)
      end

      # A mark at each multiple of the unit.
      def scale(block, per_ns)
        longest = block.bars.map(&:ended_ns).max.fdiv(block.unit_ns).round(1).floor
        (0..longest).each_with_object(+"") do |times, line|
          column = (times * block.unit_ns * per_ns).round
          line << " " * [column - line.size, 0].max << "#{times}x"
        end
      end
    end

    class Drawing
      # A split as a row of characters. Each state has its own, so the bar reads the same without colours, in
      # a log file and in an East-Asian terminal (where block characters may take two columns).
      module Bar
        SYMBOLS = StateLooks::ALL.transform_values(&:symbol).freeze
        COLORS = StateLooks::ALL.transform_values(&:terminal).freeze
        RUN = Regexp.union(SYMBOLS.values.map { |symbol| /#{Regexp.escape(symbol)}+/ })

        module_function

        # @return [String] exactly `columns` characters; spaces if nothing is measured
        def draw(split, columns)
          return " " * columns if split.total.zero?
          fill(SYMBOLS.to_h { |state, _| [state, split.share(state)] }, columns)
        end

        # @param shares [Hash{Symbol => Float}] of all states
        # @return [String] exactly `columns` characters, largest remainders first; spaces without any share
        def fill(shares, columns)
          return " " * columns if shares.values.sum.zero?
          cells = SYMBOLS.to_h { |state, _| [state, shares.fetch(state) * columns] }
          whole = cells.transform_values(&:floor)
          cells.keys.max_by(columns - whole.values.sum) { |state| cells[state] % 1 }.each { |state|
            whole[state] += 1
          }
          whole.map { |state, count| SYMBOLS[state] * count }.join
        end

        # @param bar [String] from draw
        def paint(bar, style)
          bar.gsub(RUN) { |run| style.paint(run, COLORS.fetch(SYMBOLS.key(run[0]))) }
        end
      end

      # Colours for terminals. They only repeat what characters already say, so a report without them loses
      # nothing.
      class Style
        CODES = {bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36}.freeze

        # @param io [IO] the report's destination
        # @param env [Hash] NO_COLOR (any value) and TERM=dumb switch colours off
        def self.for(io, env)
          new(io.tty? && env["NO_COLOR"].to_s.empty? && env["TERM"] != "dumb")
        end

        def self.none = new(false)

        def initialize(enabled)
          @enabled = enabled
        end

        # @param color [Symbol, nil] a key of CODES
        def paint(text, color)
          return text unless @enabled && color
          "\e[#{CODES.fetch(color)}m#{text}\e[0m"
        end
      end
    end
  end
end
