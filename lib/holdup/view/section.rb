# frozen_string_literal: true

module Holdup
  module View
    # One table of a report with its title and remarks, already in words and figures: text and Markdown lay
    # out the same sections. The first column takes the room that is left and is shortened; the others are
    # right-aligned.
    #
    # - `columns`: titles, one per cell
    # - `rows`: Array of Arrays of String; `total`: one more row, set apart, or nil
    # - `notes`: sentences under the table
    Section = Data.define(:title, :columns, :rows, :total, :notes) do
      def initialize(title:, columns:, rows:, total: nil, notes: [])
        super
      end
    end
  end
end
