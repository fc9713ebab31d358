# frozen_string_literal: true

module Holdup
  module View
    # A page of the dashboard or a report of a command before layout: its parts in order. View::Text,
    # View::Markdown, View::Html and View::Csv render it.
    #
    # - `about`: Array of String, lines under the title, such as the span
    # - `blocks`: Array of Section and of Blocks
    Page = Data.define(:title, :blocks, :about) do
      def initialize(title:, blocks:, about: [])
        super
      end

      # @return [Array<Section>] its tables and lists, in plain text
      def sections
        Blocks.flat(blocks).filter_map { |block| block.plain if block.respond_to?(:plain) }
      end
    end
  end
end
