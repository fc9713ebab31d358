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
    end
  end
end
