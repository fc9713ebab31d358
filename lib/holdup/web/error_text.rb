# frozen_string_literal: true

require_relative "../errors"
require_relative "../reports/finding_text"

module Holdup
  class Web
    # What an error says on a page: what happened and what to do. Those of the store are in the page's language; others are
    # in English, and the page says so.
    class ErrorText
      # `language`: of the text
      Part = Data.define(:text, :language)

      # @param error [Holdup::Error]
      # @param words [Words]
      def initialize(error, words:)
        @error = error
        @words = words
      end

      # @return [Array<Part>] what happened; what to do, where that is known
      def parts = @error.is_a?(StoreError) ? of_store : in_english

      private

      def of_store
        told = Reports::FindingText.new(@words.reports)
        [:"store_#{@error.kind}", :"store_#{@error.kind}_fix"].map do |key|
          Part.new(text: told.call(key, @error.facts), language: @words.language)
        end
      end

      def in_english = [@error.problem || @error.message, @error.advice].compact.map { |text| Part.new(text:, language: "en") }
    end
  end
end
