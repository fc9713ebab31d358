# frozen_string_literal: true

module Holdup
  class Web
    # What an error says on a page: what happened and what to do, in the page's language. What has no
    # translation is in English, and the page says so.
    class ErrorText
      TRANSLATIONS = Holdup::View::Words::LANGUAGES.transform_values { |table|
        table.fetch(:error_texts, []).to_h { |error| [Regexp.new(error[:pattern], Regexp::MULTILINE), error[:text]] }
      }.freeze

      # `language`: of the text
      Part = Data.define(:text, :language)

      # @param error [Holdup::Error]
      # @param words [Words]
      def initialize(error, words:)
        @error = error
        @words = words
      end

      # @return [Array<Part>] what happened; what to do, where that is known
      def parts
        return of_store if @error.is_a?(StoreError)
        [@error.problem || @error.message, @error.advice].compact.map { |text| translated(text) }
      end

      private

      def of_store
        [:"store_#{@error.kind}", :"store_#{@error.kind}_fix"].map do |key|
          text = Holdup::View::DoctorSentence.call(@words.reports, key, @error.facts)
          Part.new(text:, language: @words.language)
        end
      end

      def translated(text)
        pattern, own = TRANSLATIONS.fetch(@words.language).find { |english, _| english.match?(text) }
        return Part.new(text:, language: "en") unless pattern
        Part.new(text: text.sub(pattern, own), language: @words.language)
      end
    end
  end
end
