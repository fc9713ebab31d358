# frozen_string_literal: true

module Holdup
  module View
    # A report before layout: title, leading sentence, remarks, and sections.
    #
    # - `lead`: String, nil for a part of a page; `facts`: Array of String, plain lines under the title;
    #   `remarks`: Array of String
    # - `sections`: Array of Section
    Page = Data.define(:title, :facts, :lead, :remarks, :sections) do
      # @param blocks [Array<Object>] of a page in a browser; those without `plain` are left out
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
