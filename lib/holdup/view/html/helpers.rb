# frozen_string_literal: true

module Holdup
  module View
    class Html
      # What templates need to know, on a page of the dashboard and in a file.
      class Helpers
        include Markup

        # With so many columns a table fits beside another one on wide screens only, or not at all.
        BROAD = 8
        FULL = 10

        # @param words [Words]
        # @param title [String, nil]
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

        # @param bar [Blocks::Bar]
        # @return [Array<Array(Symbol, String, String)>] state, where it begins, how wide it is
        def stretches(bar)
          at = 0.0
          bar.parts.filter_map do |state, share|
            at += share
            [state, percent(at - share), percent(share)] if share.positive?
          end
        end

        # @param section [Section]
        # @return [String, nil] the class of one that may need a page's whole width
        def extent(section)
          count = section.columns.size
          return "full" if count >= FULL
          "broad" if count >= BROAD
        end

        # @param section [Section]
        # @param index [Integer] of a column; the first always begins at the left
        # @return [String, nil] the class of one whose cells are words, which begin at the left; nil for
        #   figures, whose digits stand under each other
        def alignment(section, index)
          return "words" if section.headings[index].words
          "text" if index.positive? && section.rows.any? { |row| !FigureCell.match?(row[index]) }
        end

        # @param section [Section]
        # @return [Array<Symbol>, nil] what its bars show, for a legend
        def states(section)
          section.rows.first&.grep(Blocks::Bar)&.first&.parts&.keys
        end

        # Whether a cell is a number with its unit, such as "12.3 ms", "-1.2..+3.4 %", "2 x 5" or "-".
        module FigureCell
          UNITS = /(?<![a-zA-Z])(?:ns|us|ms|s|min|h|d|B|kB|MB|GB|M|G|x)(?![a-zA-Z])/
          LETTER = /\p{L}/

          # @param cell [Object]
          # @return [Boolean]
          def self.match?(cell)
            cell.nil? || (cell.is_a?(String) && !LETTER.match?(cell.gsub(UNITS, "")))
          end
        end
      end
    end
  end
end
