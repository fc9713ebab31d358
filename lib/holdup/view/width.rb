# frozen_string_literal: true

module Holdup
  module View
    # How many terminal columns a text takes, and the operations that depend on it. Japanese characters take
    # two, combining marks none; a name that came from a request may hold anything, so nothing here trusts its
    # input.
    #
    # The table is the wide and full-width part of Unicode's EastAsianWidth; "ambiguous" counts as one, which
    # is why the reports draw their bars with ASCII only.
    module Width
      WIDE = Regexp.new(
        "[\u{1100}-\u{115F}\u{231A}-\u{231B}\u{2329}-\u{232A}\u{23E9}-\u{23EC}\u{25FD}-\u{25FE}\u{2614}-\u{2615}" \
        "\u{2648}-\u{2653}\u{267F}\u{2693}\u{26A1}\u{26AA}-\u{26AB}\u{26BD}-\u{26BE}\u{2705}\u{2728}\u{274C}" \
        "\u{2753}-\u{2755}\u{2757}\u{2795}-\u{2797}\u{2B1B}-\u{2B1C}\u{2B50}\u{2B55}" \
        "\u{2E80}-\u{303E}\u{3041}-\u{33FF}\u{3400}-\u{4DBF}\u{4E00}-\u{9FFF}\u{A000}-\u{A4CF}\u{A960}-\u{A97F}" \
        "\u{AC00}-\u{D7A3}\u{F900}-\u{FAFF}\u{FE10}-\u{FE19}\u{FE30}-\u{FE6F}\u{FF01}-\u{FF60}\u{FFE0}-\u{FFE6}" \
        "\u{1B000}-\u{1B2FF}\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1F9FF}\u{1FA70}-\u{1FAFF}" \
        "\u{20000}-\u{3FFFD}]"
      )
      # What wrap keeps whole: a wide character with the punctuation that may not start a line, a word,
      # spaces.
      PIECE = /#{WIDE}[、。」）]*|[^\s\p{Han}\p{Hiragana}\p{Katakana}]+|\s+|./
      NARROW_ZERO = /\p{Mn}|\p{Me}|\p{Cf}/
      # Escape sequences and text direction overrides could rewrite the reader's screen.
      UNPRINTABLE = /[\p{Cc}\u{2028}\u{2029}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2066}-\u{2069}]/

      module_function

      # @return [Integer] terminal columns
      def of(text)
        return text.length if text.ascii_only?
        text.each_char.sum { |char| of_char(char) }
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
        return text if of(text) <= columns
        return "" if columns < 1
        tail = (columns - 1) / 2
        "#{take(text.each_char, columns - 1 - tail)}…#{take(text.each_char.to_a.reverse, tail).reverse}"
      end

      def left(text, columns)
        text + " " * [columns - of(text), 0].max
      end

      def right(text, columns)
        " " * [columns - of(text), 0].max + text
      end

      # Breaks at spaces, and between wide characters, since Japanese has no spaces.
      # @return [Array<String>] lines at most `columns` wide; only a longer single word is broken
      def wrap(text, columns)
        text.scan(PIECE).flat_map { |piece| pieces(piece, columns) }.each_with_object([+""]) do |piece, lines|
          lines << +"" if of(lines.last) + of(piece.rstrip) > columns && !lines.last.empty?
          lines.last << (lines.last.empty? ? piece.lstrip : piece)
        end.map(&:rstrip)
      end

      def pieces(piece, columns)
        (of(piece) > columns) ? piece.each_char.each_slice([columns / 2, 1].max).map(&:join) : [piece]
      end

      def of_char(char)
        return 2 if WIDE.match?(char)
        NARROW_ZERO.match?(char) ? 0 : 1
      end

      def take(chars, columns)
        used = 0
        chars.take_while { |char| (used += of_char(char)) <= columns }.join
      end
      private_class_method :of_char, :pieces, :take
    end
  end
end
