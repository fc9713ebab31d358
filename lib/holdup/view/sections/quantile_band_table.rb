# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # The group means p0-10 .. p99.9-100, of all units or of one row.
      class QuantileBandTable < SectionBase
        SHOWN = %i[wall running idle stalled longest_hold].freeze

        # @return [Section] of all chosen units
        def call
          of(summary.total, word(:slices), notes: [word(:slices_note)])
        end

        # @return [Array<Section>] one per row
        def details
          shown.map { |row| of(row, word(:slices_of, name: row_label(row))) }
        end

        private

        def of(row, title, notes: [])
          Section.new(title:, columns: [word(:band), word(:units), *SHOWN.map { |key| word(:"histogram_#{key}") }],
            rows: Analysis::HistogramBands::QuantileBands::BANDS.map { |name, band| [name, *cells(row, band)] }, notes:)
        end

        def cells(row, band)
          means = SHOWN.map { |key| duration(Analysis::HistogramBands::QuantileBands.mean(row.histogram(key), *band)) }
          [Figures.count(Analysis::HistogramBands::QuantileBands.size(row.histogram(:wall), *band)), *means]
        end
      end
    end
  end
end
