# frozen_string_literal: true

require "cgi/escape"

module Holdup
  module View
    class Html
      # Helpers for templates of the dashboard and of files.
      class Helpers
        # Names and sentences as HTML: line breaks, code, and moments that a script converts to the viewer's
        # zone.
        module Markup
          # Length of the longest recorded name.
          NAME = 200
          # Allowed breaks in a name: between its parts, and between the words of a part that is too long for
          # a phone.
          PARTS = %r{(?=#|::)|(?<=/)(?=[a-zA-Z:_])}
          LONG_PART = /\w{18,}/
          PART_WORDS = /(?<=[a-z]{3})(?=[A-Z][a-z])|(?<=[a-z]{3}_)(?=[a-z])/
          BREAK = "<wbr>"
          # A word of a sentence that may be wider than a phone. Shorter names are never broken.
          LONG_WORD = %r{([\w:#/.-]{32,})}
          CODE = /(`[^`]+`)/
          # Keeps a number and its unit on one line.
          UNIT_SPACE = /(?<=\d) (?=(?:%|[num]?s|min|h|d|B|[kMG]B|件|回|秒|分|時間|日)(?![a-zA-Z]))/

          # @return [String] at most NAME characters
          def cut(text)
            Width.truncate(text, NAME)
          end

          # @return [String] HTML: a name that may wrap between its parts
          def breaking(text) = wrapping(cut(text))

          # @return [String] HTML: a sentence with its code; a script converts its moments to the viewer's
          #   zone
          def sentence(text)
            html = text.split(CODE).map do |part|
              CODE.match?(part) ? "<code>#{wrapping(part[1..-2])}</code>" : plain(part)
            end
            html.join
          end

          private

          def wrapping(text)
            html = text.split(PARTS).map { |part| CGI.escapeHTML(part) }.join(BREAK)
            html.gsub(LONG_PART) { |part| part.gsub(PART_WORDS, BREAK) }
          end

          def plain(text)
            parts = text.split(LONG_WORD)
            escaped = parts.map { |part| LONG_WORD.match?(part) ? wrapping(part) : CGI.escapeHTML(part) }
            timed = escaped.join.gsub(Figures::Moments::PATTERN) do |found|
              from, to, zone = $~.captures
              next time(from, zone, found) unless to
              @words.span(time(from, zone), time(to, zone, "#{to} #{zone}"))
            end
            timed.gsub(UNIT_SPACE, Width::NO_BREAK)
          end

          def time(moment, zone, text = moment)
            exact = Figures::Moments.read(moment, zone) or return text
            seconds = " data-seconds" if moment.count(":") > 1
            %(<time datetime="#{exact.utc.strftime("%FT%TZ")}"#{seconds}>#{text}</time>)
          end
        end

        include Markup

        # Columns, or characters without wrapping, from which a table fits next to one other only, and next to
        # none.
        BROAD = 8
        BROAD_WIDTH = 58
        FULL = 10
        # Columns from which a table with sentences is too broad for a phone.
        CARDS = 5
        # Characters of a name that leaves no room beside it there.
        LONG_NAME = 40
        # Characters: of the first column and of words, which wrap, and of a bar.
        NAME_WIDTH = 14
        WORDS_WIDTH = 18
        BAR_WIDTH = 8
        # Words in front of a leading sentence.
        LEVELS = {good: :level_ok, warn: :level_warn, fail: :level_fail}.freeze
        # Marks behind the title of a sorted column.
        ARROWS = {"ascending" => "▲", "descending" => "▼"}.freeze

        def initialize(words:, title: nil)
          @words = words
          @title = title
        end

        attr_reader :title

        def word(key, **facts) = @words.call(key, **facts)

        # @param texts [Array<String>]
        # @return [String] with the commas of the language
        def list(texts) = @words.list(texts)

        def language = @words.language

        # Styles of a first screen must not wait for the fold at its end: a browser shows a page in parts.
        # @param blocks [Array<Object>] of a page
        # @return [String] their class
        def blocks_class(blocks) = blocks.any?(Blocks::Fold) ? "blocks folded" : "blocks"

        # @return [String, nil] where others find the page as it is; nil in a file
        def sent_address = nil

        # @param values [Hash{Symbol => Object}] nil and false omit an attribute; true writes its name alone
        # @return [String] HTML: ` class="words" hidden`, to follow the name of a tag
        def attributes(**values)
          shown = values.select { |_, value| value }
          texts = shown.map do |name, value|
            (value == true) ? " #{name}" : %( #{name}="#{CGI.escapeHTML(value.to_s)}")
          end
          texts.join
        end

        # @param level [Symbol] of Blocks::Lead
        # @return [String, nil] nil for a sentence that needs no attention
        def level_word(level)
          key = LEVELS[level]
          key && word(key)
        end

        # @param values [Array<Numeric, nil>] of a Blocks::Sparkline
        # @return [String] an SVG path in 100 x 20
        def trace(values)
          most = [*values.compact, 1].max
          last = [values.size - 1, 1].max
          points = values.each_with_index.map do |value, index|
            value && "#{(index * 100.0 / last).round(1)} #{(19 - 18.0 * value / most).round(1)}"
          end
          runs = points.slice_when { |one, other| one.nil? || other.nil? }.map(&:compact)
          runs.reject(&:empty?).map { |run| "M#{run.join("L")}#{"h1" if run.one?}" }.join
        end

        # @param state [Symbol] of a thread, or another look of a Chart::Line
        # @return [Boolean] whether its areas have a pattern, for readers who can't tell the colours apart
        def patterned?(state)
          !StateLooks::ALL[state]&.mark.nil?
        end

        # @return [String] "12.3%" for SVG
        def percent(share)
          "#{(share * 100).round(3)}%"
        end

        # @return [Array<Array(Symbol, String, String)>] state, start, width
        def stretches(bar)
          at = 0.0
          bar.parts.filter_map do |state, share|
            at += share
            [state, percent(at - share), percent(share)] if share.positive?
          end
        end

        # @return [String, nil] CSS class of a table that may need the page's whole width
        def extent(section)
          count = section.columns.size
          wide = "broad" if count >= BROAD || width(section) > BROAD_WIDTH
          wide = "full table" if count >= FULL
          classes = [wide, ("cards" if cards?(section))].compact
          classes.join(" ") if classes.any?
        end

        # A phone has no room for figures beside a sentence or a long name: each row is a card there.
        # @return [Array<String, nil>] what a card calls its figures, by column; of other tables nil
        def card_labels(section)
          return [nil] * section.columns.size unless cards?(section)
          section.headings.map { |column| column.text unless column.words || column.text.empty? }
        end

        # One that is sorted needs its heading.
        def cards?(section)
          return false if section.columns.size < CARDS || section.headings.any?(&:sort)
          section.headings.drop(1).any?(&:words) ||
            section.rows.any? { |row| row.first.to_s.size > LONG_NAME }
        end

        # @return [String, nil] drawings need none
        def card_label(label, cell)
          label unless cell.is_a?(Blocks::Bar) || cell.is_a?(Blocks::Sparkline)
        end

        # @return [Integer] characters that its cells take
        def width(section)
          section.columns.each_index.drop(1).sum(NAME_WIDTH) do |index|
            next WORDS_WIDTH if section.headings[index].words
            section.rows.map { |row| cell_width(row[index]) }.max.to_i
          end
        end

        # @param index [Integer] of a column; the first is always left-aligned
        # @return [String, nil] CSS class of a column of words, which is left-aligned; nil for figures, whose
        #   digits align
        def alignment(section, index)
          return "words" if section.headings[index].words
          "text" if index.positive? && section.rows.any? { |row| !FigureCell.match?(row[index]) }
        end

        # @return [Array<String, nil>] of all columns
        def alignments(section)
          section.columns.each_index.map { |index| alignment(section, index) }
        end

        # @return [String, nil] CSS class of a figure's cell, for its colour; nil for other cells and without
        #   one
        def ground(cell)
          "heat-#{cell.step}" if cell.is_a?(Blocks::Heat) && cell.step.positive?
        end

        # @param column [Blocks::Column]
        # @return [String, nil] nil if the table is not sorted by it
        def arrow(column)
          ARROWS[column.sorted]
        end

        def cell_width(cell)
          return BAR_WIDTH if cell.is_a?(Blocks::Bar) || cell.is_a?(Blocks::Sparkline)
          return cell_width(cell.text) if cell.is_a?(Blocks::Heat)
          cell.is_a?(String) ? [cell.size, WORDS_WIDTH].min : 0
        end

        # @return [Array<Symbol>, nil] states in its bars, for a legend
        def states(section)
          section.rows.first&.grep(Blocks::Bar)&.first&.parts&.keys
        end

        # Whether a cell is a number with its unit, such as "12.3 ms", "-1.2..+3.4 %", "2 x 5" or "-".
        module FigureCell
          UNITS = /(?<![a-zA-Z])(?:ns|us|ms|s|min|h|d|B|kB|MB|GB|M|G|x)(?![a-zA-Z])/
          LETTER = /\p{L}/

          def self.match?(cell)
            return match?(cell.text) if cell.is_a?(Blocks::Heat)
            cell.nil? || (cell.is_a?(String) && !LETTER.match?(cell.gsub(UNITS, "")))
          end
        end
      end
    end
  end
end
