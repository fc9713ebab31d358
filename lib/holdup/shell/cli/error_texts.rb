# frozen_string_literal: true

module Holdup
  class CLI
    # The sentence of an error in a language. Errors that a page shows too have keys, and their sentences are
    # in the locales. The others are in English where they are raised; `help/<language>.yml` in the folder of
    # that part has what happened and what to do by the English text, whose values are %{1}, %{2}.
    class ErrorTexts
      VALUE = /%\{(\d+)\}/
      STOPS = /[。.?？]\z/
      BETWEEN = /, | or /
      NAMES = /\A[^\s,]+(?:(?:#{BETWEEN})[^\s,]+)+\z/

      # A text with values. `pattern`: of the English one; `text`: in the language
      TextWithValues = Data.define(:pattern, :text)

      # @param language [String]
      # @param tables [Hash{String => Hash}] of HelpTexts.read
      def initialize(language, tables = HelpTexts.read(language))
        @language = language
        texts = tables.fetch("errors", {})
        @whole, with_values = texts.partition { |english, _| !english.match?(VALUE) }.map(&:to_h)
        @templates = templates(with_values)
        @values = tables.fetch("error_values", {})
      end

      # @param error [Error]
      # @return [String] in one line
      def call(error)
        return keyed(error) if error.key
        parts = [error.problem || error.message, error.advice].compact
        said = parts.map { |part| text(part) || part }
        return error.message if said == parts && error.message.ascii_only?
        said.map { |part| part.match?(STOPS) ? part : "#{part}。" }.join
      end

      # @param english [String] what happened, or what to do
      # @return [String, nil] nil: there is none
      def text(english)
        return @whole[english] if @whole.key?(english)
        return unless english.valid_encoding?
        template = @templates.find { |one| one.pattern.match?(english) } or return
        values = template.pattern.match(english).captures
        template.text.gsub(VALUE) { spoken(values.fetch(Integer($1) - 1)) }
      end

      private

      def keyed(error)
        words = View::Words.new(@language)
        words.sentences(View::ErrorText.of(error, words:).map(&:text))
      end

      # The one with the most words of its own is tried first: "%{1} failed (%{2})" fits much.
      def templates(texts)
        longest = texts.sort_by { |english, _| -english.gsub(VALUE, "").size }
        longest.map do |english, text|
          parts = english.split(/(%\{\d+\})/)
          pattern = parts.map { |part| part.match?(VALUE) ? "(.*?)" : Regexp.escape(part) }.join
          TextWithValues.new(pattern: /\A#{pattern}\z/m, text:)
        end
      end

      # A value may be a word or a text of its own, or names with a comma or "or" between them.
      def spoken(value)
        found = @values[value] || @whole[value]
        return found if found
        value.match?(NAMES) ? value.gsub(BETWEEN) { |mark| @values.fetch(mark, mark) } : value
      end
    end
  end
end
