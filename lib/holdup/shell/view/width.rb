# frozen_string_literal: true

require "unicode/display_width"

module Holdup
  module View
    # How many terminal columns a text takes, and operations that depend on it. Japanese characters take two,
    # combining marks none, ambiguous ones one; the reports draw bars with ASCII only. Names come from
    # requests, so all input is untrusted.
    module Width
      # Columns of a sentence that may name any number of things.
      SENTENCE = 220
      WIDE = /[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]|[ー\u{3000}-\u{303F}\u{FF01}-\u{FF60}]/
      NARROW = /(?!#{WIDE})\S/
      # Characters with which languages count things: "件".
      COUNTERS = Regexp.union(Words::LANGUAGES.values.flat_map { |table| table.fetch(:counters).chars }.uniq)
      # "(90.1 %)", "91.0 s,", "2,848 件"
      QUANTITY = /#{NARROW}*\d (?:(?:%|[num]?s|min|h|d|[kMGT]?B)(?![A-Za-z0-9])#{NARROW}*|#{COUNTERS})/
      # Japanese brackets that may not end a line, punctuation and small kana that may not start one.
      NO_END = /[「『（［｛【]/
      NO_START = /[、。，．：；？！」』）］｝】・ー々〜ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ]/
      # Pieces that wrap keeps whole: a number with its unit, a word, or a wide character, with what may not
      # be separated from it; spaces.
      PIECE = /#{NO_END}*(?:#{QUANTITY}|#{NARROW}+|\S)#{NO_START}*|\s+/
      # Whole words of a name, and what follows them.
      WORDS = /\A.*[^\p{Alnum}_]/m
      # Escape sequences and text direction overrides could rewrite the reader's screen.
      UNPRINTABLE = /[\p{Cc}\u{2028}\u{2029}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2066}-\u{2069}]/

      # A space at which no line ends, in names within sentences.
      NO_BREAK = "\u00A0"

      module_function

      # @return [Integer] terminal columns
      def of(text)
        Unicode::DisplayWidth.of(text)
      end

      # @return [String] valid UTF-8 without control characters
      def clean(text)
        text.to_s.encode(Encoding::UTF_8, invalid: :replace, undef: :replace, replace: "?").scrub("?").gsub(
          UNPRINTABLE, "?"
        )
      end

      # Shortens in the middle, where names differ least: "Admin::Rep…ontroller#show".
      # @return [String] at most `columns` wide
      def truncate(text, columns)
        # No character takes more than two.
        return text if text.size <= columns / 2 || of(text) <= columns
        return "" if columns < 1
        tail = (columns - 1) / 2
        "#{take(text.each_char, columns - 1 - tail)}…#{take(text.each_char.to_a.reverse, tail).reverse}"
      end

      # Shortens names of one list, so that they stay different: if some would look alike, all long ones lose
      # the beginning that these have in common, "Admin::Reports::".
      # @param texts [Array<String>]
      # @return [Hash{String => String}]
      def truncate_all(texts, columns)
        short = texts.to_h { |text| [text, truncate(text, columns)] }
        alike = short.keys.group_by { |text| short.fetch(text) }.values.select { |same| same.size > 1 }
        starts = alike.map { |same| common_words(same) }.reject(&:empty?)
        short.to_h do |text, whole|
          start = starts.find { |one| text.start_with?(one) } if whole != text
          [text, start ? truncate("…#{text.delete_prefix(start)}", columns) : whole]
        end
      end

      def left(text, columns)
        text + " " * [columns - of(text), 0].max
      end

      def right(text, columns)
        " " * [columns - of(text), 0].max + text
      end

      # Breaks at spaces, and between wide characters, since Japanese has no spaces. A NO_BREAK becomes a
      # usual space, which can be searched for.
      # @return [Array<String>] lines at most `columns` wide; only a longer single word is broken
      def wrap(text, columns)
        text.scan(PIECE).flat_map { |piece| pieces(piece, columns) }.each_with_object([+""]) do |piece, lines|
          lines << +"" if of(lines.last) + of(piece.rstrip) > columns && !lines.last.empty?
          lines.last << (lines.last.empty? ? piece.lstrip : piece)
        end.map { |line| line.rstrip.tr(NO_BREAK, " ") }
      end

      def common_words(texts)
        first, last = texts.minmax
        same = first.each_char.zip(last.each_char).take_while { |one, other| one == other }
        same.map(&:first).join[WORDS].to_s
      end

      def pieces(piece, columns)
        (of(piece) > columns) ? piece.each_char.each_slice([columns / 2, 1].max).map(&:join) : [piece]
      end

      def take(chars, columns)
        used = 0
        chars.take_while { |char| (used += of(char)) <= columns }.join
      end
      private_class_method :common_words, :pieces, :take
    end
  end
end
