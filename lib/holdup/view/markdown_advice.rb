# frozen_string_literal: true

module Holdup
  module View
    # What `holdup advise` says, for a pull request or an issue.
    class MarkdownAdvice
      # @param recommendation [Sizing::Recommendation, nil]
      # @param findings [Array<Holdup::Advice::Finding>]
      # @param span [String] of time, in words
      # @param kind [Symbol] of the units
      # @param summary [Analysis::Summary, nil] of all of them
      # @param again [String, nil] options with which other commands look at the same
      # @param words [Words]
      # @param limit [Integer] rows of the table
      def initialize(recommendation, findings, span:, kind: :request, summary: nil, again: nil,
        words: Words.new, limit: AdviceTable::LIMIT)
        @verdict = AdviceVerdict.new(recommendation, span:, words:, kind:, summary:)
        @table = AdviceTable.new(recommendation, words:, limit:)
        @pools = AdvicePools.new(recommendation, words:)
        @findings = AdviceFindings.new(findings, words:)
        @again = again
        @words = words
      end

      # @return [String] ends with a newline
      def call
        "#{[*head, *table, *findings].join("\n")}\n"
      end

      private

      def head
        ["# #{escape(@verdict.title)}", "", "**#{escape(@verdict.sentence)}**",
          *@verdict.details.flat_map { |text| ["", escape(text)] }]
      end

      def table
        [*[@table.section, @pools.section].compact.flat_map { |section| section(section) }, *(if @verdict.amdahl
                                                                                                ["", escape(@verdict.amdahl)]
                                                                                              end)]
      end

      def section(section)
        ["", "## #{escape(section.title)}", "", line(section.columns), "| --- |#{" ---: |" * (section.columns.size - 1)}", *section.rows.map { |row| line(row) },
          *section.notes.flat_map { |note| ["", escape(note)] }]
      end

      def findings
        return ["", escape(@words.call(:advice_no_findings))] if @findings.empty?
        ["", "## #{escape(@words.call(:advice_findings))}", *same,
          *@findings.flat_map { |told| finding(told) }]
      end

      def same
        @again ? ["", escape(@words.call(:advice_again, options: @again))] : []
      end

      def finding(told)
        ["", "### #{escape(told.what)}", "",
          *told.parts.flat_map { |part| ["- #{part.label}: #{escape(part.text)}", *diff(part.diff)] }]
      end

      # Its lines begin with - or +, so none of them can end the block.
      def diff(lines)
        lines.empty? ? [] : ["", *["```diff", *lines, "```"].map { |line| "  #{line}" }, ""]
      end

      def line(cells)
        "| #{cells.map { |cell| escape(cell.strip) }.join(" | ")} |"
      end

      # Names come from requests: nothing in them may become markup or end a cell.
      def escape(text)
        text.gsub(/[\\`*_|<>\[\]~#]/) { |char| "\\#{char}" }
      end
    end
  end
end
