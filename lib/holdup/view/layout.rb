# frozen_string_literal: true

module Holdup
  module View
    # Lines of one width and style: what the texts for terminals are made of.
    class Layout
      WARNING = "! "
      # In a pipe or a file nobody sees where a line would end, and a program wants names whole.
      WHOLE = Float::INFINITY

      # @param width [Integer] columns of sentences
      # @param style [Style]
      # @param table_width [Numeric] columns of tables; WHOLE: no name is cut
      def initialize(width: 80, style: Style.none, table_width: width)
        @width = width
        @style = style
        @table_width = table_width
      end

      # @param text [String] a sentence or more
      # @param color [Symbol, nil] see Style
      # @return [Array<String>]
      def lines(text, color = nil)
        Width.wrap(text, @width).map { |line| @style.paint(line, color) }
      end

      # @return [Array<String>]
      def bold(text) = lines(text, :bold)

      # @param mark [String] in front of the first line; the others begin below its text
      # @return [Array<String>]
      def item(mark, text)
        Width.wrap(text, @width - mark.size).each_with_index.map { |line, index|
          (index.zero? ? mark : " " * mark.size) + line
        }
      end

      # @return [Array<String>]
      def warning(text)
        item(WARNING, text).map { |line| @style.paint(line, :yellow) }
      end

      # @param section [Section]
      # @return [Array<String>] without title and notes
      def table(section)
        return [] if section.columns.empty?
        laid = Table.new(section, width: @table_width)
        [@style.paint(laid.head, :dim), *laid.body]
      end

      # @param section [Section]
      # @return [Array<String>] behind an empty line
      def section(section)
        ["", *title(section), *table(section), *section.notes.flat_map { |note| lines(note) }]
      end

      # @return [Array<String>] one line
      def title(section)
        [@style.paint(Width.truncate(section.title, [@width, @table_width].max), :bold)]
      end

      # Lays a section out in columns: every figure whole, and names shortened where the width asks for it.
      class Table
        GAPS = [2, 1].freeze
        NAME_MIN = 8

        # @param section [Section]
        # @param width [Numeric] columns; Layout::WHOLE: no name is cut
        def initialize(section, width:)
          @section = section
          @room = width
        end

        # @return [String] the titles
        def head = line(@section.columns)

        # @return [Array<String>]
        def body
          @section.rows.map { |row| line(row) }
        end

        # @return [String, nil]
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

        # As wide as the longest name needs, if the figures leave that much.
        def name_width
          left = @room - figure_widths.sum { |width| width + gap }
          [longest(0), left].min.clamp(NAME_MIN, nil)
        end

        # Airy when every name still fits whole.
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
