# frozen_string_literal: true

module Holdup
  module View
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
