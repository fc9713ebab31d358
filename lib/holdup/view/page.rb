# frozen_string_literal: true

module Holdup
  module View
    # A report before it is laid out: what stands above everything, the one sentence, remarks, and sections.
    #
    # - `title`, `lead`: String, of a part of a page there may be no lead; `facts`: Array of String, plain
    #   lines under the title; `remarks`: Array of String
    # - `sections`: Array of Section
    Page = Data.define(:title, :facts, :lead, :remarks, :sections) do
      # @param title [String]
      # @param blocks [Array<Object>] of a page in a browser; those that are only for a browser are left out
      # @return [Page] with the same sentences and tables
      def self.of(title, blocks)
        lead, *others = blocks.grep(Blocks::Lead).map(&:text)
        notes = blocks.grep(Blocks::Notes).flat_map(&:texts)
        sections = blocks.filter_map { |block| block.plain if block.respond_to?(:plain) }
        new(title:, facts: [], lead:, remarks: [*others, *notes], sections:)
      end

      # @return [Array<Object>] the same for a page in a browser
      def blocks
        [Blocks::Lead.new(text: lead), Blocks::Notes.new(texts: [*facts, *remarks]), *sections]
      end
    end
  end
end
