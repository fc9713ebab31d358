# frozen_string_literal: true

module Holdup
  module Lab
    class Sweep
    end

    # A sweep's result as a report: the verdict first, then what it stands on.
    class Sweep::Report
      # @param result [Result]
      # @param words [View::Words]
      def initialize(result, words: View::Words.new)
        @sentences = Sweep::Sentences.new(result, words:)
        @tables = Sweep::Tables.new(result, words:)
      end

      # @return [View::Page]
      def page
        View::Page.new(title: @sentences.title, facts: @sentences.recorded, lead: @sentences.verdict,
          remarks: @sentences.doubts, sections: @tables.sections)
      end
    end
  end
end
