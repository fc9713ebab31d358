# frozen_string_literal: true

module Holdup
  module View
    class Html
      # Helpers for templates of the dashboard and of files.
      class Helpers
        include Markup

        # Columns from which a table fits next to another only on wide screens, or not at all.
        BROAD = 8
        FULL = 10

        def initialize(words:, title: nil)
          @words = words
          @title = title
        end

        attr_reader :title

        def word(key, **facts) = @words.call(key, **facts)

        def language = @words.language

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
          return "full" if count >= FULL
          "broad" if count >= BROAD
        end

        # @param index [Integer] of a column; the first is always left-aligned
        # @return [String, nil] CSS class of a column of words, which is left-aligned; nil for figures, whose
        #   digits align
        def alignment(section, index)
          return "words" if section.headings[index].words
          "text" if index.positive? && section.rows.any? { |row| !FigureCell.match?(row[index]) }
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
            cell.nil? || (cell.is_a?(String) && !LETTER.match?(cell.gsub(UNITS, "")))
          end
        end
      end
    end
  end
end
