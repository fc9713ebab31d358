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
      def initialize(width: 80, style: Drawing::Style.none, table_width: width)
        @width = width
        @style = style
        @table_width = table_width
      end

      # @param text [String] one or more sentences
      # @param color [Symbol, nil] see Drawing::Style
      def lines(text, color = nil)
        Width.wrap(text, @width).map { |line| @style.paint(line, color) }
      end

      def bold(text) = lines(text, :bold)

      # @param mark [String] in front of the first line; the others align with its text
      def item(mark, text)
        margin = Width.of(mark)
        Width.wrap(text, @width - margin).each_with_index.map { |line, index|
          (index.zero? ? mark : " " * margin) + line
        }
      end

      def warning(text)
        item(WARNING, text).map { |line| @style.paint(line, :yellow) }
      end

      # @return [Array<String>] without title and notes
      def table(section)
        Table.new(section, width: @table_width, sentences: @width, style: @style).lines
      end

      # @param text [String] of a section
      # @return [Array<String>] one line
      def title(text)
        [@style.paint(Width.truncate(text, [@width, @table_width].max), :bold)]
      end

      # Lays a section out in columns: figures stay whole, names are shortened to fit the width. A last column
      # of sentences wraps.
      class Table
        GAPS = [2, 1].freeze
        NAME_MIN = 8
        # Space in front of the line under a row.
        DETAIL = "  "
        # Columns of sentences at least.
        SENTENCE_MIN = 24
        BAR = 12

        # @param width [Numeric] columns; Layout::WHOLE cuts no name
        # @param sentences [Numeric] columns that a line with a sentence may take
        def initialize(section, width:, sentences: width, style: Drawing::Style.none)
          @section = section
          @options = {width:, sentences:, style:}
          @sentences = section.headings.last.words
          @width = @sentences ? sentences : width
          @style = style
        end

        def lines
          narrower = @section.narrower if name_width < longest(0)
          return Table.new(narrower, **@options).lines if narrower
          [*head.map { |line| @style.paint(line, :dim) }, *body,
            *total.map { |line| @style.paint(line, :bold) }]
        end

        # @return [Array<String>] nothing without titles
        def head
          texts = @section.headings.map(&:text)
          texts.all?(&:empty?) ? [] : row(texts)
        end

        def body
          @section.rows.zip(@section.details).flat_map { |cells, detail| [*row(cells), *detail(detail)] }
        end

        def detail(text)
          return [] unless text
          return [@style.paint(Width.truncate("#{DETAIL}#{text}", @width), :dim)] unless @section.wraps
          lines = Width.wrap(text, @options[:sentences] - DETAIL.size)
          lines.map { |line| @style.paint("#{DETAIL}#{line}", :dim) }
        end

        def total
          @section.total ? row(@section.total) : []
        end

        private

        def row(cells)
          name, *figures = cells.first(widths.size)
          shortened = names.fetch(text(name)) { |text| Width.truncate(text, widths.first) }
          start = Width.left(shortened, widths.first)
          line = figures.each_with_index.reduce(start) { |made, (cell, i)|
            made + painted(cell, Width.right(text(cell), widths[i + 1] + gap))
          }
          @sentences ? sentence(line, text(cells.last)) : [line.rstrip]
        end

        def names
          @names ||= Width.truncate_all(@section.rows.map { |name, *| text(name) }, widths.first)
        end

        def sentence(line, text)
          margin = widths.sum + gap * (widths.size - 1) + GAPS.first
          first, *others = Width.wrap(text, [@width - margin, SENTENCE_MIN].max)
          ["#{line}  #{first}".rstrip, *others.map { |other| "#{" " * margin}#{other}" }]
        end

        def text(cell)
          cell.is_a?(Blocks::Bar) ? Drawing::Bar.fill(cell.parts, BAR) : cell.to_s
        end

        def painted(cell, text)
          cell.is_a?(Blocks::Bar) ? Drawing::Bar.paint(text, @style) : text
        end

        # Widths of all columns but the one of sentences.
        def widths = @widths ||= [name_width, *figure_widths]

        # The column is as wide as the longest name, if the figures leave that much.
        def name_width
          left = room - figure_widths.sum { |width| width + gap }
          [longest(0), left].min.clamp(NAME_MIN, nil)
        end

        # Wider if every name still fits whole.
        def gap
          @gap ||= GAPS.find { |gap|
            [longest(0), NAME_MIN].max + figure_widths.sum { |width| width + gap } <= room
          } || GAPS.last
        end

        def room
          @sentences ? @width - SENTENCE_MIN - GAPS.first : @width
        end

        def figure_widths
          last = @section.columns.size - (@sentences ? 1 : 0)
          @figure_widths ||= (1...last).map { |column| longest(column) }
        end

        def longest(column)
          rows = [@section.headings.map(&:text), *@section.rows, *@section.total && [@section.total]]
          rows.map { |cells| Width.of(text(cells[column])) }.max
        end
      end
    end
  end
end
