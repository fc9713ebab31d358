# frozen_string_literal: true

module Holdup
  module View
    class PageMarkdown
      def initialize(page)
        @page = page
      end

      # @return [String] ends with a newline
      def call
        "#{[*head, *remarks, *@page.sections.flat_map { |section| lines(section) }].join("\n")}\n"
      end

      private

      def head
        ["# #{escape(@page.title)}", "", *list(@page.facts), *(@page.lead && "**#{escape(@page.lead)}**")]
      end

      def remarks
        @page.remarks.empty? ? [] : ["", *list(@page.remarks)[0..-2]]
      end

      def list(texts)
        texts.empty? ? [] : [*texts.map { |text| "- #{escape(text)}" }, ""]
      end

      def lines(section)
        return ["", "## #{escape(section.title)}", "", *list(section.notes)[0..-2]] if section.columns.empty?
        ["", "## #{escape(section.title)}", "", *table(section),
          *section.notes.flat_map { |note| ["", escape(note)] }]
      end

      def table(section)
        [line(section.columns), "| --- |#{" ---: |" * (section.columns.size - 1)}",
          *section.rows.map { |row| line(row) }, *(section.total && [line(section.total)])]
      end

      def line(cells)
        "| #{cells.map { |cell| escape(cell.strip) }.join(" | ")} |"
      end

      # Names come from requests: escape markup and cell ends.
      def escape(text)
        text.gsub(/[\\`*_|<>\[\]~#]/) { |char| "\\#{char}" }
      end
    end
  end
end
