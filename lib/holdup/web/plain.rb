# frozen_string_literal: true

module Holdup
  class Web
    # What a page says without how it looks: its sentences and tables, for Markdown and spreadsheets.
    class Plain
      SPLIT = %i[state share per_unit sum meaning].freeze

      # @param title [String]
      # @param blocks [Array<Object>] of Blocks; forms and links have nothing to say
      # @param words [View::Words]
      def initialize(title, blocks, words:)
        @title = title
        @blocks = blocks
        @words = words
      end

      # @return [View::Page]
      def call
        lead, *others = all(Blocks::Lead).map(&:text)
        View::Page.new(title: @title, facts: [], lead:,
          remarks: [*others, *all(Blocks::Notes).flat_map(&:texts)], sections: @blocks.filter_map { |block| section(block) })
      end

      private

      def all(kind) = @blocks.grep(kind)

      def section(block)
        case block
        when Blocks::Table then table(block)
        when Charts::Block, Captures::Flame::Block then table(block.twin)
        when Blocks::Split then listed(block, SPLIT.map { |key| @words.call(key) },
          block.rows.map { |row| [row.name, row.share, row.each, row.sum, row.meaning] })
        when Blocks::Findings then listed(block, [], [],
          block.items.empty? ? [block.none] : block.items.flat_map { |item| finding(item) })
        when Captures::Story then listed(block, block.columns, block.rows, block.notes)
        when Blocks::Facts then listed(block, [], [], block.pairs.map { |name, text| "#{name}: #{text}" })
        when Blocks::Checks then listed(block, [], [],
          block.items.map { |_, word, *texts| "#{word}: #{texts.compact.join(" ")}" })
        end
      end

      def table(block)
        rows = block.rows.map { |row| row.map { |cell| text(cell) } }
        View::Section.new(title: block.title, columns: block.columns.map(&:text), rows:,
          total: block.total&.map { |cell| text(cell) }, notes: block.notes)
      end

      def listed(block, columns, rows, notes = [])
        View::Section.new(title: block.title, columns:, rows:, notes:)
      end

      def finding(item)
        [item.what, *item.parts.map { |part| "#{part.label}: #{[part.text, *part.diff].join(" ")}" }]
      end

      def text(cell)
        case cell
        when Blocks::Link then cell.text.to_s
        when Blocks::Bar, Blocks::Meter then cell.label
        else cell.to_s
        end
      end
    end
  end
end
