# frozen_string_literal: true

module Holdup
  module View
    # A table with its title and notes, the same for every renderer. The first column takes the remaining room
    # and is shortened; figures are right-aligned.
    #
    # - `columns`: a title for each cell, String or Blocks::Column
    # - `rows`: Array of Arrays of cells: String, Blocks::Link, Bar, Meter, Heat or Moment; `total`: a final
    #   row, set apart, or nil
    # - `notes`: sentences under the table; `more`: Blocks::Link to other rows, or nil
    # - `details`: for each row the line under it, String or Blocks::Link, or nil; empty where no row has one;
    #   `wraps`: whether a terminal shows all of it, in several lines
    Section = Data.define(:title, :columns, :rows, :total, :notes, :more, :details, :wraps) do
      def initialize(title:, columns:, rows:, total: nil, notes: [], more: nil, details: [], wraps: false)
        super
      end

      # @return [String] name of its template
      def view = "table"

      # @return [Section] in plain text, without links and drawings
      def plain
        with(columns: columns.map(&:to_s), rows: rows.map { |row| row.map(&:to_s) },
          total: total&.map(&:to_s), details: details.map { |detail| detail&.to_s })
      end

      # @yieldparam name [String] first cell of a row
      # @yieldreturn [Object] the replacement of that cell
      def with_first_cells
        with(rows: rows.each_with_index.map { |(name, *others), index| [yield(name, index), *others] })
      end

      # @return [Section, nil] without its last optional column; nil if it has none
      def narrower
        index = headings.rindex(&:optional) or return
        keep = ->(cells) { cells.reject.with_index { |_, column| column == index } }
        with(columns: keep.call(columns), rows: rows.map(&keep), total: total && keep.call(total))
      end

      def headings
        columns.map { |column| column.is_a?(Blocks::Column) ? column : Blocks::Column.new(text: column) }
      end
    end
  end
end
