# frozen_string_literal: true

module Holdup
  class CLI
    # A page as it was asked for: Markdown, a file for a browser, or text for a terminal or a pipe.
    module LaidOut
      module_function

      # @param page [View::Page]
      # @param format [Symbol] :markdown, :html, else text
      # @param console [Console]
      # @param widest [Integer] columns of sentences at most
      # @param language [String] of the page, which HTML says
      # @return [String] ends with a newline
      def call(page, format:, console:, widest:, language: "en")
        case format
        when :markdown then markdown(page)
        when :html then html(page, language)
        else text(page, console, widest)
        end
      end

      def markdown(page)
        View::PageMarkdown.new(page).call
      end

      def html(page, language)
        View::Html.of(page, language:).call
      end

      def text(page, console, widest)
        View::PageText.new(page, **console.layout(widest)).call
      end
      private_class_method :markdown, :html, :text
    end
  end
end
