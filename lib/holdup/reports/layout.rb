# frozen_string_literal: true

require_relative "style"
require_relative "table"
require_relative "width"

module Holdup
  module Reports
    # Lines of one width and style: what the texts for terminals are made of.
    class Layout
      WARNING = "! "

      # @param width [Integer] columns
      # @param style [Style]
      def initialize(width: 80, style: Style.none)
        @width = width
        @style = style
      end

      # @param text [String] a sentence or more
      # @param color [Symbol, nil] see Style
      # @return [Array<String>]
      def lines(text, color = nil) = Width.wrap(text, @width).map { |line| @style.paint(line, color) }

      # @return [Array<String>]
      def bold(text) = lines(text, :bold)

      # @param mark [String] in front of the first line; the others begin below its text
      # @return [Array<String>]
      def item(mark, text)
        Width.wrap(text, @width - mark.size).each_with_index.map { |line, index| (index.zero? ? mark : " " * mark.size) + line }
      end

      # @return [Array<String>]
      def warning(text) = item(WARNING, text).map { |line| @style.paint(line, :yellow) }

      # @param section [Section]
      # @param width [Integer] columns at most
      # @return [Array<String>] without title and notes
      def table(section, width: @width)
        return [] if section.columns.empty?
        laid = Table.new(section, width: [@width, width].min)
        [@style.paint(laid.head, :dim), *laid.body]
      end

      # @param section [Section]
      # @return [Array<String>] behind an empty line
      def section(section) = ["", *title(section), *table(section), *section.notes.flat_map { |note| lines(note) }]

      # @return [Array<String>] one line
      def title(section) = [@style.paint(Width.truncate(section.title, @width), :bold)]
    end
  end
end
