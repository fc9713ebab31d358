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

    # A page on a terminal.
    class Page::Text
      # @param width [Integer] columns
      # @param table_width [Numeric] columns of tables; Layout::WHOLE cuts no name
      def initialize(page, width: 80, table_width: width, style: Style.none)
        @page = page
        @layout = Layout.new(width:, style:, table_width:)
      end

      # @return [String] ends with a newline
      def call
        "#{[*head, *remarks, *@page.sections.flat_map { |section| ["", *lines(section)] }].join("\n")}\n"
      end

      private

      def head
        [*@layout.bold(@page.title), *@page.facts.flat_map { |fact| @layout.lines(fact) }, "",
          *@layout.bold(@page.lead)]
      end

      def remarks
        @page.remarks.empty? ? [] : ["", *@page.remarks.flat_map { |remark| @layout.warning(remark) }]
      end

      def lines(section)
        [*@layout.title(section), *@layout.table(section),
          *section.notes.flat_map { |note| @layout.lines(note, :dim) }]
      end
    end

    # A page in Markdown.
    class Page::Markdown
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
