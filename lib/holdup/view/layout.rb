# frozen_string_literal: true

module Holdup
  module View
    # Formats lines of one width and style for terminals.
    class Layout
      WARNING = "! "
      # A pipe or file has no right edge, and a program needs whole names.
      WHOLE = Float::INFINITY

      # @param width [Integer] columns of sentences
      # @param table_width [Numeric] columns of tables; WHOLE cuts no name
      def initialize(width: 80, style: Style.none, table_width: width)
        @width = width
        @style = style
        @table_width = table_width
      end

      # @param text [String] one or more sentences
      # @param color [Symbol, nil] see Style
      def lines(text, color = nil)
        Width.wrap(text, @width).map { |line| @style.paint(line, color) }
      end

      def bold(text) = lines(text, :bold)

      # @param mark [String] in front of the first line; the others align with its text
      def item(mark, text)
        Width.wrap(text, @width - mark.size).each_with_index.map { |line, index|
          (index.zero? ? mark : " " * mark.size) + line
        }
      end

      def warning(text)
        item(WARNING, text).map { |line| @style.paint(line, :yellow) }
      end

      # @return [Array<String>] without title and notes
      def table(section)
        return [] if section.columns.empty?
        laid = Table.new(section, width: @table_width)
        [@style.paint(laid.head, :dim), *laid.body]
      end

      # @return [Array<String>] after an empty line
      def section(section)
        ["", *title(section), *table(section), *section.notes.flat_map { |note| lines(note) }]
      end

      # @return [Array<String>] one line
      def title(section)
        [@style.paint(Width.truncate(section.title, [@width, @table_width].max), :bold)]
      end

      # Lays a section out in columns: figures stay whole, names are shortened to fit the width.
      class Table
        GAPS = [2, 1].freeze
        NAME_MIN = 8

        # @param width [Numeric] columns; Layout::WHOLE cuts no name
        def initialize(section, width:)
          @section = section
          @room = width
        end

        def head = line(@section.columns)

        def body
          @section.rows.map { |row| line(row) }
        end

        def total
          @section.total && line(@section.total)
        end

        private

        def line(cells)
          name = Width.left(Width.truncate(cells.first, widths.first), widths.first)
          figures = cells.drop(1).each_with_index.map { |cell, i| Width.right(cell, widths[i + 1] + gap) }
          [name, *figures].join.rstrip
        end

        def widths = @widths ||= [name_width, *figure_widths]

        # As wide as the longest name, if the figures leave that much.
        def name_width
          left = @room - figure_widths.sum { |width| width + gap }
          [longest(0), left].min.clamp(NAME_MIN, nil)
        end

        # Wider if every name still fits whole.
        def gap
          @gap ||= GAPS.find { |gap|
            [longest(0),
              NAME_MIN].max + figure_widths.sum { |width| width + gap } <= @room
          } || GAPS.last
        end

        def figure_widths
          @figure_widths ||= (1...@section.columns.size).map { |column| longest(column) }
        end

        def longest(column)
          [@section.columns, *@section.rows,
            *@section.total && [@section.total]].map { |row| Width.of(row[column]) }.max
        end
      end
    end
  end
end
