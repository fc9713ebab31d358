# frozen_string_literal: true

require_relative "../../reports/page"
require_relative "../../reports/words"
require_relative "sentences"
require_relative "tables"

module Holdup
  module Lab
    class Sweep
    end

    # A sweep's result as a report: the verdict first, then what it stands on.
    class Sweep::Report
      # @param result [Result]
      # @param words [Reports::Words]
      def initialize(result, words: Reports::Words.new)
        @sentences = Sweep::Sentences.new(result, words:)
        @tables = Sweep::Tables.new(result, words:)
      end

      # @return [Reports::Page]
      def page = Reports::Page.new(title: @sentences.title, facts: @sentences.recorded, lead: @sentences.verdict, remarks: @sentences.doubts, sections: @tables.sections)
    end
  end
end
