# frozen_string_literal: true

module Holdup
  class Web
    module Static
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

        KEPT = [Charts::Block, Charts::PageCharts, Blocks::Lead, Blocks::Notes, Blocks::Table, Blocks::Split,
          Blocks::Findings, Blocks::Facts, Blocks::Checks].freeze

        # @param parts [Array<Part>] of the file
        def initialize(parts)
          @there = parts.map { |part| [part.page, part.params] }
        end

        # @param part [Part]
        # @return [Array<Object>] of its blocks
        def call(part)
          part.blocks.select { |block| KEPT.include?(block.class) }.filter_map { |block|
            block(block, part.charts)
          }
        end

        private

        def block(block, charts)
          case block
          when Blocks::Table then table(block)
          when Charts::Block then charts.any? ? Drawings.new(title: block.title,
            items: drawn(charts.transform_keys(block.names).slice(*block.names.values)), twin: table(block.twin), notes: [*block.part&.text]) : nil
          when Charts::PageCharts then Drawings.new(items: drawn(block.charts), notes: block.notes)
          else block
          end
        end

        # @param charts [Hash{String => Chart}] by their titles
        def drawn(charts)
          charts.select { |_, chart| SvgChart.possible?(chart) }.map { |title, chart|
            SvgChart.new(title, chart)
          }
        end

        def table(block)
          block.with(columns: block.columns.map { |column| column.with(sort: nil) },
            rows: block.rows.map { |row| row.map { |cell| settled(cell) } }, more: nil)
        end

        def settled(cell)
          (cell.is_a?(Blocks::Link) && !@there.include?([cell.page, cell.params])) ? cell.text : cell
        end
      end
    end
  end
end
