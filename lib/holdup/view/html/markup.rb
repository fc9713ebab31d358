# frozen_string_literal: true

require "cgi/escape"

module Holdup
  module View
    class Html
      # Names and sentences as HTML: line breaks, code, and moments that a script converts to the viewer's
      # zone.
      module Markup
        # Length of the longest recorded name.
        NAME = 200
        # Allowed breaks in a name: between its parts, and between the words of one part.
        PARTS = %r{(?=#|::)|(?<=/)(?=[a-zA-Z:_])|(?<=[a-z]{3})(?=[A-Z][a-z])}
        # A word of a sentence that may be wider than a phone.
        LONG_WORD = %r{([\w:#/.-]{20,})}
        CODE = /(`[^`]+`)/
        # Keeps a number and its unit on one line.
        UNIT_SPACE = /(?<=\d) (?=(?:%|[num]?s|min|h|d|B|[kMG]B|件|回|秒|分|時間|日)(?![a-zA-Z]))/
        NO_BREAK = "\u00A0"

        # @return [String] at most NAME characters
        def cut(text)
          Width.truncate(text, NAME)
        end

        # @return [String] HTML: a name that may wrap between its parts
        def breaking(text) = wrapping(cut(text))

        # @return [String] HTML: a sentence with its code; a script converts its moments to the viewer's zone
        def sentence(text)
          parts = text.split(CODE)
          parts.map { |part| CODE.match?(part) ? "<code>#{wrapping(part[1..-2])}</code>" : plain(part) }.join
        end

        private

        def wrapping(text)
          text.split(PARTS).map { |part| CGI.escapeHTML(part) }.join("<wbr>")
        end

        def plain(text)
          parts = text.split(LONG_WORD)
          escaped = parts.map { |part| LONG_WORD.match?(part) ? wrapping(part) : CGI.escapeHTML(part) }
          timed = escaped.join.gsub(Moments::PATTERN) do |found|
            from, to, zone = $~.captures
            to ? "#{time(from, zone)} - #{time(to, zone, "#{to} #{zone}")}" : time(from, zone, found)
          end
          timed.gsub(UNIT_SPACE, NO_BREAK)
        end

        def time(moment, zone, text = moment)
          exact = Moments.read(moment, zone) or return text
          seconds = " data-seconds" if moment.count(":") > 1
          %(<time datetime="#{exact.utc.strftime("%FT%TZ")}"#{seconds}>#{text}</time>)
        end
      end
    end
  end
end
