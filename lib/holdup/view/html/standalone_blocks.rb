# frozen_string_literal: true

module Holdup
  module View
    class Html
      # Blocks for a file, behind which nobody answers: what asks for something else is left out, and links
      # stay only where the file has what they lead to.
      class StandaloneBlocks
        # Charts as they are drawn here, and the table with the same figures.
        Drawings = Data.define(:title, :items, :twin, :notes) do
          def initialize(items:, title: nil, twin: nil, notes: [])
            super
          end

          def view = "drawings"
        end

        KEPT = [Section, Blocks::FetchedCharts, Blocks::InlineCharts, Blocks::Lead, Blocks::Notes, Blocks::Split,
          Blocks::Findings, Blocks::Facts, Blocks::Checks].freeze

        # @param parts [Array<Part>] of the file
        def initialize(parts)
          @targets = parts.map { |part| [part.page, part.params] }
        end

        # @param part [Part]
        # @return [Array<Object>] of its blocks
        def call(part)
          kept = part.blocks.select { |block| KEPT.include?(block.class) }
          kept.filter_map { |block| block(block, part.charts) }
        end

        private

        def block(block, charts)
          case block
          when Section then section(block)
          when Blocks::FetchedCharts then drawings(block, charts) if charts.any?
          when Blocks::InlineCharts then Drawings.new(items: drawn(block.charts), notes: block.notes)
          else block
          end
        end

        def drawings(block, charts)
          titled = charts.transform_keys(block.names).slice(*block.names.values)
          notes = [*block.part&.text]
          Drawings.new(title: block.title, items: drawn(titled), twin: section(block.twin), notes:)
        end

        # @param charts [Hash{String => Chart}] by their titles
        def drawn(charts)
          possible = charts.select { |_, chart| SvgChart.possible?(chart) }
          possible.map { |title, chart| SvgChart.new(title, chart) }
        end

        def section(section)
          columns = section.headings.map { |column| column.with(sort: nil) }
          rows = section.rows.map { |row| row.map { |cell| linked(cell) } }
          section.with(columns:, rows:, more: nil)
        end

        def linked(cell)
          (cell.is_a?(Blocks::Link) && !@targets.include?([cell.page, cell.params])) ? cell.text : cell
        end
      end
    end
  end
end
