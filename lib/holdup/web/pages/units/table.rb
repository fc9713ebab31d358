# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      module Units
        # Endpoints or jobs as a table.
        class Table
          # What stall is about comes first: a phone shows three columns.
          FIRST = %i[suffered caused].freeze
          COLUMNS = [:name, *FIRST, :split, *(FIGURES.keys - FIRST)].freeze
          TITLES = {name: :by_name, split: :states}.freeze

          # @param summary [Analysis::Summary]
          # @param words [View::Words]
          # @param link [#call] row => the cell of its name
          def initialize(summary, words:, link:)
            @summary = summary
            @words = words
            @link = link
          end

          # @param rows [Array<Analysis::SeriesRow>]
          # @param columns [Array<Symbol>] of COLUMNS
          # @param order [Order, nil] with it, columns can be sorted by
          # @return [Blocks::Table]
          def call(rows, title:, columns: COLUMNS, order: nil, notes: [])
            Blocks::Table.new(title:, columns: columns.map { |name| column(name, order) },
              rows: rows.map { |row| columns.map { |name| cell(name, row) } }, notes:)
          end

          private

          def column(name, order)
            text = @words.call(TITLES.fetch(name) { FIGURES[name].word })
            return Blocks::Column.new(text:) if order.nil? || name == :split
            Blocks::Column.new(text:, sort: order.asked(name), sorted: order.told(name))
          end

          def cell(name, row)
            case name
            when :name then @link.call(row)
            when :split then Bars.of(row.split, @words)
            else View::Figures.public_send(FIGURES[name].tell, FIGURES[name].read.call(row, @summary))
            end
          end
        end
      end
    end
  end
end
