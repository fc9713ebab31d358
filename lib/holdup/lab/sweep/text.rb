# frozen_string_literal: true

require_relative "../../reports/style"
require_relative "../../reports/table"
require_relative "../../reports/width"
require_relative "../../reports/words"
require_relative "sentences"
require_relative "tables"

module Holdup
  module Lab
    class Sweep
    end

    # A sweep's result for a terminal or a pipe: the verdict first, then what it stands on.
    class Sweep::Text
      # @param result [Result]
      # @param words [Reports::Words]
      # @param width [Integer] columns
      # @param style [Reports::Style]
      def initialize(result, words: Reports::Words.new, width: 80, style: Reports::Style.none)
        @result = result
        @sentences = Sweep::Sentences.new(result, words:)
        @tables = Sweep::Tables.new(result, words:)
        @width = width
        @style = style
      end

      # @return [String] ends with a newline
      def call = "#{[*wrap(@sentences.title), "", *verdict, *(wrap(@sentences.predictions) unless @result.plan.closed?), *doubts, *@tables.sections.flat_map { |section| table(section) }].join("\n")}\n"

      private

      def verdict = wrap(@sentences.verdict).map { |line| @style.paint(line, :bold) }

      def doubts = @sentences.doubts.flat_map { |doubt| wrap("! #{doubt}").map { |line| @style.paint(line, :yellow) } }

      def table(section)
        table = Reports::Table.new(section, width: @width)
        ["", @style.paint(section.title, :bold), @style.paint(table.head, :dim), *table.body, *section.notes.flat_map { |note| wrap(note) }]
      end

      def wrap(text) = Reports::Width.wrap(text, @width)
    end
  end
end
