# frozen_string_literal: true

module Holdup
  module View
    # A report for a terminal or a pipe: the most important sentence first, then tables that fit the width.
    class Text
      WIDTH = 80
      LIMIT = 15

      # @param width [Integer] columns of sentences
      # @param table_width [Numeric] columns of tables; Layout::WHOLE cuts no name
      # @param limit [Integer] rows shown of each table
      # @param details [Boolean] also the group means of each row
      # @param remarks [Array<String>] more remarks
      # @param zone [String, nil] UTC offset of the times shown; nil: the system's own
      def initialize(summary, words: Words.new, width: WIDTH, table_width: width, style: Style.none,
        limit: LIMIT, details: false, remarks: [], zone: nil)
        @summary = summary
        @words = words
        @width = width
        @table_width = table_width
        @style = style
        @headline = Headline.new(summary, words:, general_remarks: remarks, zone:)
        @contents = Contents.new(summary, words:, limit:, details:)
      end

      # @return [String] ends with a newline
      def call
        "#{(@summary.empty? ? head : head + states + sections).join("\n")}\n"
      end

      private

      def head
        ["#{bold(@words.call(:title))}  #{@headline.span}", "",
          *wrap(@headline.verdict).map { |line| bold(line) },
          *(@summary.empty? ? @headline.general_remarks.flat_map { |line| remark(line) } : facts)]
      end

      def facts
        ["", *@headline.figures.flat_map { |line| wrap(line) },
          *@headline.remarks.flat_map { |line| remark(line) }]
      end

      def remark(line)
        wrap("! #{line}", indent: "  ").map { |part| @style.paint(part, :yellow) }
      end

      def states
        section = @contents.states.call
        ["", bold(section.title), Bar.paint(@contents.states.bar(@width), @style), *table(section)]
      end

      def sections
        widest = [@width, @table_width].max
        @contents.sections.flat_map do |section|
          ["", bold(Width.truncate(section.title, widest)), *table(section), *notes(section)]
        end
      end

      def table(section)
        return [] if section.columns.empty?
        table = Layout::Table.new(section, width: @table_width)
        [@style.paint(table.head, :dim), *table.body, *table.total && [bold(table.total)]].map { |line|
          bars(line)
        }
      end

      # Only bars have such runs; names never match, because spaces set a bar apart.
      def bars(line)
        line.sub(/(?<= )[#!x~=z+]{#{Sections::Times::StateSplitTable::BAR}}(?= )/o) { |bar|
          Bar.paint(bar,
            @style)
        }
      end

      def notes(section)
        section.notes.flat_map { |note| wrap(note, indent: "  ", first: "  ") }
      end

      def wrap(text, indent: "", first: "")
        Width.wrap(text, @width - Width.of(indent)).each_with_index.map { |line, i|
          (i.zero? ? first : indent) + line
        }
      end

      def bold(text) = @style.paint(text, :bold)
    end
  end
end
