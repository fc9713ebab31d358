# frozen_string_literal: true

module Holdup
  module View
    # The report of `holdup advise` for a terminal: the verdict, the table of settings, why Amdahl's law does
    # not apply, and other remedies.
    class Advice
      WIDTH = 80

      # @param recommendation [Sizing::Recommendation, nil] nil without records of single units
      # @param span [String] of time, in words
      # @param summary [Analysis::Summary, nil] of all units
      # @param again [String, nil] options that make other commands look at the same data
      # @param width [Integer] columns
      # @param table_width [Numeric] columns of tables; Layout::WHOLE cuts no name
      # @param limit [Integer] rows of the table
      def initialize(recommendation, findings, span:, kind: :request, summary: nil, again: nil,
        words: Words.new, width: WIDTH, table_width: width, style: Style.none, limit: AdviceTable::LIMIT)
        @verdict = AdviceVerdict.new(recommendation, span:, words:, kind:, summary:)
        @table = AdviceTable.new(recommendation, words:, limit:)
        @pools = AdviceTable::Pools.new(recommendation, words:)
        @findings = AdviceFindings.new(findings, words:)
        @again = again
        @words = words
        @width = width
        @style = style
        @layout = Layout.new(width:, style:, table_width:)
      end

      # @return [String] ends with a newline
      def call
        "#{[*head, *table, *findings].join("\n")}\n"
      end

      private

      def head
        [*@layout.lines(@verdict.title), "", *@layout.bold(@verdict.sentence),
          *@verdict.details.flat_map { |text| @layout.lines(text) }]
      end

      def table
        amdahl = @verdict.amdahl
        [*[@table.section, @pools.section].compact.flat_map { |section| @layout.section(section) },
          *(["", *@layout.lines(amdahl)] if amdahl)]
      end

      def findings
        return ["", *@layout.lines(@words.call(:advice_no_findings))] if @findings.empty?
        ["", *@layout.bold(@words.call(:advice_findings)), *same,
          *@findings.each.with_index(1).flat_map { |finding, number| lines(finding, number) }]
      end

      def same
        @again ? @layout.lines(@words.call(:advice_again, options: Width.clean(@again))) : []
      end

      def lines(finding, number)
        margin = " " * (label_width + 5)
        ["", *@layout.item("#{number}. ", finding.what).map { |line| @style.paint(line, :bold) },
          *finding.parts.flat_map { |part| part(part, margin) }]
      end

      def part(part, margin)
        first, *rest = Width.wrap(part.text, @width - margin.size)
        ["   #{Width.left(part.label, label_width)}  #{first}",
          *(rest + part.diff).map { |line| "#{margin}#{line}" }]
      end

      def label_width
        @label_width ||= @findings.labels.map { |label| Width.of(label) }.max
      end

      # The report of `holdup advise` for a pull request or an issue. Parameters as in {Advice}.
      class Markdown
        def initialize(recommendation, findings, span:, kind: :request, summary: nil, again: nil,
          words: Words.new, limit: AdviceTable::LIMIT)
          @verdict = AdviceVerdict.new(recommendation, span:, words:, kind:, summary:)
          @table = AdviceTable.new(recommendation, words:, limit:)
          @pools = AdviceTable::Pools.new(recommendation, words:)
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
          [*[@table.section, @pools.section].compact.flat_map { |section| section(section) },
            *(["", escape(@verdict.amdahl)] if @verdict.amdahl)]
        end

        def section(section)
          ["", "## #{escape(section.title)}", "", line(section.columns),
            "| --- |#{" ---: |" * (section.columns.size - 1)}", *section.rows.map { |row| line(row) },
            *section.notes.flat_map { |note| ["", escape(note)] }]
        end

        def findings
          return ["", escape(@words.call(:advice_no_findings))] if @findings.empty?
          ["", "## #{escape(@words.call(:advice_findings))}", *same,
            *@findings.flat_map { |text| finding(text) }]
        end

        def same
          @again ? ["", escape(@words.call(:advice_again, options: @again))] : []
        end

        def finding(text)
          ["", "### #{escape(text.what)}", "",
            *text.parts.flat_map { |part| ["- #{part.label}: #{escape(part.text)}", *diff(part.diff)] }]
        end

        # Its lines begin with - or +, so none of them can end the block.
        def diff(lines)
          lines.empty? ? [] : ["", *["```diff", *lines, "```"].map { |line| "  #{line}" }, ""]
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
end
