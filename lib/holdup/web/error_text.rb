# frozen_string_literal: true

module Holdup
  class Web
    # What an error says on a page: what happened and what to do, in the page's language. What has no
    # translation is in English, and the page says so.
    class ErrorText
      TRANSLATED = {"ja" => Locales::ERRORS_JA}.freeze

      # `language`: of the text
      Part = Data.define(:text, :language)

      # @param error [Holdup::Error]
      # @param words [View::Words]
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
          text = View::DoctorSentence.call(@words, key, @error.facts)
          Part.new(text:, language: @words.language)
        end
      end

      def translated(text)
        pattern, own = TRANSLATED.fetch(@words.language, {}).find { |english, _| english.match?(text) }
        return Part.new(text:, language: "en") unless pattern
        Part.new(text: text.sub(pattern, own), language: @words.language)
      end
    end
  end
end
