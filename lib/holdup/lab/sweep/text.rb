# frozen_string_literal: true

require_relative "../../reports/layout"
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
        @layout = Reports::Layout.new(width:, style:)
      end

      # @return [String] ends with a newline
      def call = "#{[*@layout.lines(@sentences.title), "", *@layout.bold(@sentences.verdict), *(@layout.lines(@sentences.predictions) unless @result.plan.closed?), *doubts, *tables].join("\n")}\n"

      private

      def doubts = @sentences.doubts.flat_map { |doubt| @layout.warning(doubt) }

      def tables = @tables.sections.flat_map { |section| @layout.section(section) }
    end
  end
end
