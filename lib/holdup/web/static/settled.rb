# frozen_string_literal: true

require_relative "../blocks"

module Holdup
  class Web
    module Static
      # Blocks for a file, behind which nobody answers: what asks for something else is left out, and links stay only where the
      # file has what they lead to.
      class Settled
        KEPT = [Blocks::Lead, Blocks::Notes, Blocks::Table, Blocks::Split, Blocks::Findings, Blocks::Facts, Blocks::Checks].freeze

        # @param parts [Array<Part>] of the file
        def initialize(parts)
          @there = parts.map { |part| [part.page, part.params] }
        end

        # @param blocks [Array<Object>]
        # @return [Array<Object>]
        def call(blocks) = blocks.select { |block| KEPT.include?(block.class) }.map { |block| block.is_a?(Blocks::Table) ? table(block) : block }

        private

        def table(block)
          block.with(columns: block.columns.map { |column| column.with(sort: nil) }, rows: block.rows.map { |row| row.map { |cell| settled(cell) } }, more: nil)
        end

        def settled(cell) = (cell.is_a?(Blocks::Link) && !@there.include?([cell.page, cell.params])) ? cell.text : cell
      end
    end
  end
end
