# frozen_string_literal: true

module Holdup
  module View
    # A page on a terminal or in a pipe: one part after the other, with an empty line between them. Sentences
    # wrap, tables fit the width.
    class Text
      WIDTH = 80
      COLORS = {plain: :bold, good: :green, warn: :yellow, fail: :red}.freeze
      LEVELS = {ok: :green, warn: :yellow, fail: :red}.freeze
      ITEM = "- "
      INDENT = "  "
      GAP = "  "
      REMEDY = "-> "
      # Symbol of a state in a legend.
      SYMBOL = /(?<=^|#{GAP})[#{Regexp.escape(Drawing::Bar::SYMBOLS.values.join)}](?= )/
      # Ends a line of a shell command that the next line continues.
      CONTINUED = " \\"

      # @param width [Integer] columns of sentences
      # @param table_width [Numeric] columns of tables; Layout::WHOLE cuts no name
      def initialize(page, width: WIDTH, table_width: width, style: Drawing::Style.none)
        @page = page
        @width = width
        @style = style
        @layout = Layout.new(width:, style:, table_width:)
        @drawing = Drawing.new(width:, style:)
      end

      # @return [String] ends with a newline
      def call
        parts = [head, *Blocks.flat(@page.blocks).map { |block| lines(block) }].reject(&:empty?)
        "#{parts.map { |part| part.join("\n") }.join("\n\n")}\n"
      end

      private

      def head
        [*@layout.bold(@page.title), *@page.about.flat_map { |line| @layout.lines(line) }]
      end

      # What only a browser can show has no lines.
      def lines(block)
        case block
        when Section then section(block)
        when Blocks::Lead then @layout.lines(block.text, COLORS.fetch(block.level))
        when Blocks::Notes then notes(block)
        when Blocks::Split then split(block)
        when Blocks::Facts then facts(block)
        when Blocks::Checks then checks(block)
        when Blocks::Findings then findings(block)
        when Blocks::Commands then commands(block)
        when Blocks::InlineCharts then plotted(block)
        when Blocks::TimeBars then time_bars(block)
        else block.respond_to?(:plain) ? section(block.plain) : []
        end
      end

      def section(section)
        return [*title(section), *items(section.notes)] if section.columns.empty?
        [*title(section), *@layout.table(section), *under(section.notes)]
      end

      def title(block)
        block.title.to_s.empty? ? [] : @layout.title(block.title)
      end

      # Set apart from the rows above them.
      def under(sentences)
        sentences.flat_map { |sentence| @layout.item(INDENT, sentence) }
      end

      def items(sentences)
        sentences.flat_map { |sentence| @layout.item(ITEM, sentence) }
      end

      def notes(block)
        block.warning ? block.texts.flat_map { |text| @layout.warning(text) } : items(block.texts)
      end

      def split(block)
        below = block.brief ? legend(block) : @layout.table(block.table)
        [*title(block), @drawing.bar(block.bar), *below]
      end

      def legend(block)
        states = block.rows.map { |row| "#{Drawing::Bar::SYMBOLS.fetch(row.state)} #{row.name} #{row.share}" }
        filled_lines(states, GAP, @width).map do |line|
          line.gsub(SYMBOL) { |symbol| Drawing::Bar.paint(symbol, @style) }
        end
      end

      # @return [Array<String>] the texts one after the other; none of them is broken
      def filled_lines(texts, gap, width)
        texts.each_with_object([]) do |text, lines|
          longer = "#{lines.last}#{gap}#{text}"
          fits = lines.any? && Width.of(longer) <= width
          fits ? lines[-1] = longer : lines.push(text)
        end
      end

      def commands(block)
        [*title(block), *block.items.flat_map { |item| command(item) }, *under(block.notes)]
      end

      # The command is on one line with its purpose as a comment, if there is room.
      def command(item)
        comment = "# #{item.purpose}"
        line = "#{INDENT}#{item}#{GAP}"
        return [line + @style.paint(comment, :dim)] if Width.of(line + comment) <= @width
        room = @width - Width.of(INDENT) * 2 - CONTINUED.size
        *others, last = filled_lines(item.words, " ", room)
        lines = [*others.map { |other| other + CONTINUED }, last]
        indents = [INDENT, *Array.new(lines.size - 1, INDENT * 2)]
        [*@layout.item("#{INDENT}# ", item.purpose).map { |text| @style.paint(text, :dim) },
          *indents.zip(lines).map(&:join)]
      end

      def facts(block)
        width = block.pairs.keys.map { |name| Width.of(name) }.max.to_i
        [*title(block), *block.pairs.flat_map { |name, cell|
          @layout.item("#{Width.left(name, width)}  ", cell.to_s)
        }]
      end

      def checks(block)
        width = block.words.map { |word| Width.of(word) }.max
        [*title(block), *block.items.flat_map { |check| check(check, width) }]
      end

      def check(check, width)
        mark = "#{Width.left(check.word, width)}#{INDENT}"
        first, *others = @layout.item(mark, check.text)
        painted = first.sub(check.word) { |word| @style.paint(word, LEVELS.fetch(check.level)) }
        remedy = check.remedy ? @layout.item(" " * Width.of(mark), "#{REMEDY}#{check.remedy}") : []
        [painted, *others, *remedy]
      end

      def findings(block)
        return [*title(block), *@layout.lines(block.none)] if block.items.empty?
        hints = block.hints.flat_map { |hint| @layout.lines(hint) }
        [*title(block), *hints, *block.items.each.with_index(1).flat_map { |item, number|
          finding(item, "#{number}. ")
        }]
      end

      def finding(item, number)
        width = item.parts.map { |part| Width.of(part.label) }.max
        what = @layout.item(number, item.what).map { |line| @style.paint(line, :bold) }
        ["", *what, *item.parts.flat_map { |part|
          label = "   #{Width.left(part.label, width)}  "
          [*@layout.item(label, part.text), *part.diff.map { |line| "#{" " * Width.of(label)}#{line}" }]
        }]
      end

      def plotted(block)
        return [] unless block.plotted
        [*@layout.title(block.plotted), *@drawing.plot(block.charts.fetch(block.plotted))]
      end

      def time_bars(block)
        [*title(block), *@drawing.time_bars(block), *under(block.notes)]
      end
    end
  end
end
