# frozen_string_literal: true

require_relative "../errors"
require_relative "../reports/width"

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
        facts = @error.facts.transform_values { |fact| Reports::Width.clean(fact) }
        %w[doctor_store_%s doctor_store_%s_fix].map do |key|
          Part.new(text: @words.call(format(key, @error.kind).to_sym, **facts), language: @words.language)
        end
      end

      def in_english = [@error.problem || @error.message, @error.advice].compact.map { |text| Part.new(text:, language: "en") }
    end
  end
end
