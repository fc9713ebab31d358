# frozen_string_literal: true

module Holdup
  module Top
    # A table of rows as lines of one width.
    class TableLines
      Figures = View::Figures
      Width = View::Width

      # - `width`: columns, nil for the one column of a table that takes what is left
      # - `from`: columns of the terminal from which on it is shown
      TableColumn = Data.define(:key, :format, :width, :from)

      # Levels of a trend, in ASCII: block characters take two columns in some East Asian terminals.
      LEVELS = " .:-=+*#"
      # Threads that wait. A smaller peak does not fill the scale, else noise looks like trouble.
      SMALLEST_SCALE = 0.25
      # These terms are not translated.
      TERMS = {gc: "GC", jit: "JIT code", pid: "PID"}.freeze
      NAMES = {processes: :top_processes_name, endpoints: :top_endpoints_name,
               threads: :top_threads_name}.freeze
      LEAST = 8
      # Prefix of the name of a thread outside of requests and jobs.
      THREAD = "thread:"
      MARK = "> "
      NO_MARK = "  "
      LEFT = %i[text cause trend].freeze

      def self.columns(**columns)
        columns.map { |key, (format, width, from)| TableColumn.new(key:, format:, width:, from: from || 0) }
      end
      private_class_method :columns

      COLUMNS = {
        processes: columns(
          name: [:text, 10], pid: [:plain, 7, 100], server: [:text, 8, 120], busy: [:busy, 5],
          waiting: [:count, 4], backlog: [:count, 5, 100], rate: [:rate, 5], gvl: [:share, 6],
          stalled: [:threads, 5], gc: [:share, 6], jit: [:code, 8, 92], trend: [:trend, 8], cause: [:cause]
        ),
        endpoints: columns(
          name: [:text], queue: [:text, 12, 120], rate: [:rate, 5], wall: [:duration, 7, 100],
          stalled_short: [:duration, 7], stalled_long: [:duration, 7], queued_short: [:duration, 7],
          queued_long: [:duration, 7], caused: [:threads, 6, 90], trend: [:trend, 8]
        ),
        threads: columns(
          process: [:text, 10], name: [:text], busy: [:busy, 7], backlog: [:count, 7],
          oldest: [:duration, 7], running: [:share, 6], stalled: [:threads, 5], caused: [:threads, 6]
        )
      }.freeze

      # @param table [Symbol] a key of COLUMNS
      # @param width [Integer] columns of the terminal
      def initialize(table, width:, words:, style:)
        @table = table
        @words = words
        @style = style
        @columns = COLUMNS.fetch(table).select { |column| width >= column.from }
        @widths = widths(width)
      end

      # @param rows [Array<LiveRow>] that are to be seen
      # @param chosen [Integer, nil] index of the chosen one
      # @return [Array<String>] the heading and a line for each row
      def call(rows, chosen: nil)
        trends = trends(rows)
        heading = NO_MARK + @columns.map { |column| aligned(column, label(column.key)) }.join(" ")
        lines = rows.each_with_index.map { |row, index| line(row, trends[index], index == chosen) }
        [@style.paint(heading, :bold), *lines]
      end

      # @param key [Symbol] of a column
      # @return [String] its heading
      def label(key)
        return @words.call(NAMES.fetch(@table)) if key == :name
        TERMS.fetch(key) { @words.call(:"top_col_#{key}") }
      end

      private

      # @return [Hash{TableColumn => Integer}]
      def widths(width)
        fixed = @columns.select(&:width).to_h do |column|
          [column, [column.width, Width.of(label(column.key))].max]
        end
        left = width - NO_MARK.size - fixed.values.sum - @columns.size + 1
        @columns.to_h { |column| [column, fixed.fetch(column) { [left, LEAST].max }] }
      end

      def line(row, trend, chosen)
        cells = @columns.map do |column|
          aligned(column, (column.format == :trend) ? trend : cell(row, column))
        end
        text = (chosen ? MARK : NO_MARK) + cells.join(" ")
        chosen ? @style.paint(text, :bold) : text
      end

      def aligned(column, text)
        width = @widths.fetch(column)
        text = Width.truncate(text, width)
        LEFT.include?(column.format) ? Width.left(text, width) : Width.right(text, width)
      end

      def cell(row, column)
        value = (column.key == :name) ? row.name : row.values[column.key]
        case column.format
        when :text then plain(value)
        when :plain then value.to_s
        when :busy then busy(row.values)
        when :count then Figures.short_count(value)
        when :rate then Figures.rate(value)
        when :share then Figures.share(value)
        when :threads then value ? format("%.2f", value) : Figures::NONE
        when :duration then Figures.duration(value)
        when :code then code(value)
        when :cause then cause(row.values, @widths.fetch(column))
        end
      end

      # The agent's name of a thread, as the reports show it.
      def plain(name) = Width.clean(name.to_s.delete_prefix(THREAD))

      def busy(values)
        return Figures::NONE unless values[:busy]
        [values[:busy], values[:max]].compact.join("/")
      end

      def code(bytes)
        bytes&.zero? ? @words.call(:top_jit_off) : Figures.bytes(bytes)
      end

      # The share stays whole when the name is shortened.
      def cause(values, width)
        return "" unless values[:cause]
        share = "#{(values[:cause_share] * 100).round} %"
        "#{Width.truncate(plain(values[:cause]), width - share.size - 1)} #{share}".lstrip
      end

      # All rows have one scale, so that they can be compared.
      # @return [Array<String>]
      def trends(rows)
        column = @columns.find { |one| one.format == :trend } or return []
        width = @widths.fetch(column)
        steps = rows.map { |row| row.steps.call(width) }
        scale = [*steps.flatten, SMALLEST_SCALE].max
        steps.map { |threads| Width.right(threads.map { |count| level(count / scale) }.join, width) }
      end

      def level(share)
        return LEVELS[0] unless share.positive?
        LEVELS[(share * (LEVELS.size - 1)).ceil.clamp(1, LEVELS.size - 1)]
      end
    end

    # One picture of the screen: four lines on the whole host, a table, two lines on what the keys do. Pure:
    # the same tables, state and size make the same lines.
    class ScreenFrame
      Figures = View::Figures
      Width = View::Width

      HEAD_LINES = 4
      FOOT_LINES = 2
      HELP = %i[top_help_tables top_help_sort top_help_filter top_help_rows top_help_capture top_help_pause
        top_help_processes top_help_endpoints top_help_threads top_help_more].freeze
      CAUSES = 2

      # @param tables [LiveTables]
      # @param state [ScreenState]
      # @param title [String] of the first line: host and time
      # @param trouble [String, nil] what can't be read
      def initialize(tables, state, title:, words:, style: View::Drawing::Style.none, trouble: nil)
        @tables = tables
        @state = state
        @title = title
        @words = words
        @style = style
        @trouble = trouble
      end

      # @return [Array<String>] as many lines as the terminal has
      def screen(height, width)
        room = [height - HEAD_LINES - FOOT_LINES, 1].max
        body = @state.help? ? help(width) : table(room, width)
        filled = body.first(room) + Array.new([room - body.size, 0].max, "")
        [*head(width), *filled, *foot(width)].first(height)
      end

      # A pipe gets all tables with all rows.
      # @return [Array<String>]
      def plain(width)
        tables = ScreenState::TABLES.flat_map do |table|
          rows = @state.rows(@tables, table)
          rows.empty? ? [] : ["", *lines_of(table, width).call(rows)]
        end
        [*head(width), *tables].map(&:rstrip)
      end

      private

      def head(width)
        totals = @tables.totals
        lines = [@title, summary(totals), volume(totals), causes].map { |line| Width.truncate(line, width) }
        [@style.paint(lines.first, :bold), *lines.drop(1)]
      end

      def summary(totals)
        return word(:nothing) if totals[:processes].zero?
        counts = totals.slice(:processes, *LiveTables::GAUGES.keys)
        counts = counts.transform_values { |count| Figures.count(count) }
        word(:summary, **counts)
      end

      def volume(totals)
        word(:volume, rate: Figures.rate(totals[:rate]), stalled: Figures.duration(totals[:stalled_ns]),
          share: Figures.share(totals[:stall_share]), queued: Figures.duration(totals[:queued_ns]),
          gvl: Figures.share(totals[:gvl]), gc: Figures.share(totals[:gc]))
      end

      def causes
        names = @tables.causes(CAUSES).map { |name, share| "#{cause_name(name)} #{Figures.share(share)}" }
        names.empty? ? word(:no_causes) : word(:causes, names: @words.list(names))
      end

      def cause_name(name)
        text = Width.clean(name.delete_prefix(TableLines::THREAD))
        name.start_with?(TableLines::THREAD) ? @words.call(:account, name: text) : text
      end

      # The heading takes one line of the room. Rows move up when the chosen one would be below the last line.
      def table(room, width)
        rows = @state.rows(@tables)
        chosen = @state.chosen(rows)
        first = chosen ? (chosen - room + 2).clamp(0, rows.size - 1) : 0
        lines_of(@state.table, width).call(rows.drop(first).first(room - 1), chosen: chosen && chosen - first)
      end

      def lines_of(table, width) = TableLines.new(table, width:, words: @words, style: @style)

      def foot(width)
        line = @state.message ? Width.clean(@state.message) : choice(width)
        [line, word(:keys)].map { |text| Width.truncate(text, width) }
      end

      def choice(width)
        parts = [word(:sorted, column: lines_of(@state.table, width).label(@state.sort))]
        parts << word(:filtered, text: "#{@state.filter}#{"_" if @state.typing?}") if filtered?
        parts << word(:paused) if @state.paused?
        parts << Width.clean(@trouble) if @trouble
        parts.join("  ")
      end

      def filtered? = @state.typing? || !@state.filter.empty?

      def help(width)
        HELP.flat_map { |key| Width.wrap(@words.call(key), width) }
      end

      def word(key, **facts) = @words.call(:"top_#{key}", **facts)
    end
  end
end
