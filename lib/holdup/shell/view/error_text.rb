# frozen_string_literal: true

module Holdup
  module View
    # The text of an error in a language: what happened and what to do.
    module ErrorText
      # At the end of a remedy: "choose another span with --since". On a page one chooses with links.
      OPTIONS = / with --\w.*\z/

      # `language`: of the text
      ErrorSentence = Data.define(:text, :language)

      module_function

      # @param error [Error] in English where it has no key, as errors that only a terminal shows
      # @return [Array<ErrorSentence>] what happened; what to do, if known
      def of(error, words:)
        if error.key
          return texts(error, words).map { |text| ErrorSentence.new(text:, language: words.language) }
        end
        english = [error.problem || error.message, error.advice&.sub(OPTIONS, "")].compact
        english.map { |text| ErrorSentence.new(text:, language: Words::DEFAULT) }
      end

      # @return [Array<String>]
      def sentences(key, fix, facts, words:)
        facts = facts.transform_values { |fact| fact.is_a?(Array) ? words.alternatives(fact) : fact }
        [key, fix].map { |part| words.verbatim(:"error_#{part}", **facts) }
      end

      # The doctor shows troubles of the store, too.
      def texts(error, words)
        return sentences(error.key, error.fix, error.facts, words:) unless error.is_a?(StoreError)
        [error.key, error.fix].map { |part| CheckSentence.call(words, part, error.facts) }
      end
      private_class_method :texts
    end
  end
end
