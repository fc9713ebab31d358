# frozen_string_literal: true

require_relative "../reports/style"

module Holdup
  class CLI
    # A page as it was asked for: Markdown, or text for a terminal or a pipe.
    module LaidOut
      module_function

      # @param page [Reports::Page]
      # @param format [Symbol] :markdown, else text
      # @param console [Console]
      # @param widths [Range<Integer>] columns of text
      # @return [String] ends with a newline
      def call(page, format:, console:, widths:)
        if format == :markdown
          require_relative "../reports/page_markdown"
          return Reports::PageMarkdown.new(page).call
        end
        require_relative "../reports/page_text"
        Reports::PageText.new(page, width: (console.columns || 80).clamp(widths), style: Reports::Style.for(console.out, console.env)).call
      end
    end
  end
end
