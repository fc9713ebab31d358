# frozen_string_literal: true

module Holdup
  module View
    # A report for a pull request or an issue: the sections of the text report as Markdown tables.
    class Markdown
      LIMIT = 15
      BAR = 80

      # @param limit [Integer] rows shown of each table
      # @param details [Boolean] also the group means of each row
      # @param remarks [Array<String>] more remarks
      # @param zone [String, nil] UTC offset of the times shown; nil: the system's own
      def initialize(summary, words: Words.new, limit: LIMIT, details: false, remarks: [], zone: nil)
        @summary = summary
        @words = words
        @headline = Headline.new(summary, words:, general_remarks: remarks, zone:)
        @contents = Contents.new(summary, words:, limit:, details:)
      end

      # @return [String] ends with a newline
      def call
        "#{(@summary.empty? ? head : head + facts + states + sections).join("\n")}\n"
      end

      private

      def head
        head = ["# #{@words.call(:title)}", "", @headline.span, "", "**#{escape(@headline.verdict)}**"]
        remarks = @headline.general_remarks
        (@summary.empty? && remarks.any?) ? [*head, *listed(remarks)] : head
      end

      def facts
        listed(@headline.figures + @headline.remarks)
      end

      def listed(lines)
        ["", *lines.map { |line| "- #{escape(line)}" }]
      end

      def states
        section = @contents.states.call
        ["", "## #{section.title}", "", "```", @contents.states.bar(BAR), "```", "", *table(section)]
      end

      def sections
        @contents.sections.flat_map do |section|
          ["", "## #{escape(section.title)}", "", *table(section),
            *section.notes.flat_map { |note| ["", escape(note)] }]
        end
      end

      def table(section)
        return [] if section.columns.empty?
        [line(section.columns), rule(section.columns.size), *section.rows.map { |row| line(row) },
          *section.total && [line(section.total)]]
      end

      def line(cells)
        "| #{cells.map { |cell| escape(cell.strip) }.join(" | ")} |"
      end

      def rule(columns)
        "| --- |#{" ---: |" * (columns - 1)}"
      end

      # Names come from requests: escape markup and cell ends.
      def escape(text)
        text.gsub(/[\\`*_|<>\[\]~#]/) { |char| "\\#{char}" }
      end
    end
  end
end
