# frozen_string_literal: true

module Holdup
  module View
    # A page in Markdown, for a pull request or an issue.
    class Markdown
      # Columns of what is drawn with characters.
      WIDTH = Text::WIDTH
      # Names come from requests: their markup and cell ends are escaped.
      MARKUP = /[\\`*_|<>\[\]~#]/

      def initialize(page)
        @page = page
        @drawing = Drawing.new(width: WIDTH)
      end

      # @return [String] ends with a newline
      def call
        blocks = Blocks.flat(@page.blocks).flat_map { |block| parts(block) }
        parts = [["# #{escape(@page.title)}"], list(@page.about), *blocks]
        "#{parts.reject(&:empty?).map { |part| part.join("\n").chomp }.join("\n\n")}\n"
      end

      private

      # What only a browser can show has no parts.
      # @return [Array<Array<String>>] lines of each part
      def parts(block)
        case block
        when Section then section(block)
        when Blocks::Lead then [["**#{escape(block.text)}**"]]
        when Blocks::Notes then [list(block.texts)]
        when Blocks::Split then [heading(block), code([@drawing.bar(block.bar)]), table(block.table)]
        when Blocks::Checks then [heading(block), block.items.flat_map { |check| check(check) }]
        when Blocks::Findings then findings(block)
        when Blocks::Commands then commands(block)
        when Blocks::InlineCharts then plotted(block)
        when Blocks::TimeBars then [heading(block), code(@drawing.time_bars(block)), *sentences(block.notes)]
        else block.respond_to?(:plain) ? section(block.plain) : []
        end
      end

      def section(section)
        return [heading(section), list(section.notes)] if section.columns.empty?
        [heading(section), table(section), *sentences(section.notes)]
      end

      def heading(block)
        block.title.to_s.empty? ? [] : ["## #{escape(block.title)}"]
      end

      def sentences(texts)
        texts.map { |text| [escape(text)] }
      end

      def list(texts)
        texts.map { |text| "- #{escape(text)}" }
      end

      def code(lines) = ["```", *lines, "```"]

      def table(section)
        section = section.plain
        rows = [*section.rows, *(section.total && [section.total])]
        rule = "| --- |#{" ---: |" * (section.columns.size - 1)}"
        [line(section.columns), rule, *rows.map { |row| line(row) }]
      end

      def line(cells)
        "| #{cells.map { |cell| escape(cell.strip) }.join(" | ")} |"
      end

      def check(check)
        remedy = ["  #{escape(check.remedy)}"] if check.remedy
        ["- **#{escape(check.word)}** #{escape(check.text)}", *remedy]
      end

      def findings(block)
        return [heading(block), [escape(block.none)]] if block.items.empty?
        [heading(block), *sentences(block.hints), *block.items.flat_map { |item| finding(item) }]
      end

      def finding(item)
        parts = item.parts.flat_map do |part|
          ["- #{escape(part.label)}: #{escape(part.text)}", *diff(part.diff)]
        end
        [["### #{escape(item.what)}"], parts]
      end

      # Its lines begin with - or +, so none of them can end the block.
      def diff(lines)
        lines.empty? ? [] : ["", *["```diff", *lines, "```"].map { |line| "  #{line}" }, ""]
      end

      def commands(block)
        lines = block.items.map { |item| "#{item}  # #{item.purpose}" }
        [heading(block), code(lines), *sentences(block.notes)]
      end

      def plotted(block)
        return [] unless block.plotted
        [["## #{escape(block.plotted)}"], code(@drawing.plot(block.charts.fetch(block.plotted)))]
      end

      def escape(text)
        text.gsub(MARKUP) { |char| "\\#{char}" }
      end
    end
  end
end
