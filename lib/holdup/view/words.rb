# frozen_string_literal: true

module Holdup
  module View
    # Every sentence and heading of the reports in one language. A missing key raises at once and a test
    # compares the languages, so a half-translated report can't happen.
    class Words
      # Units of time whose names depend on the language; smaller ones are international.
      UNITS = {"s" => :unit_s, "min" => :unit_min, "h" => :unit_h, "d" => :unit_d}.freeze
      FIGURE = /([-+]?[\d.,]+) (s|min|h|d)\b/
      FIGURES = /\A#{FIGURE}(?:(?: - |\.\.)#{FIGURE})?\z/
      JOINED = /(?<=\d )(秒|分|時間|日) (?=[\p{Han}\p{Hiragana}\p{Katakana}])/
      private_constant :UNITS, :FIGURE, :FIGURES, :JOINED
      LANGUAGES = %w[en ja].to_h { |language| [language, Translations.of(language)] }.freeze

      attr_reader :language

      # @param language [String] "en" or "ja"
      # @raise [Holdup::UsageError] another language
      def initialize(language = "en")
        @table = LANGUAGES.fetch(language) do
          raise UsageError,
            "unknown language #{language.inspect}; --lang takes one of: #{LANGUAGES.keys.join(", ")}"
        end
        @language = language
      end

      # @param key [Symbol] a key of the locale files
      # @param params values for its %{name}
      def call(key, **params)
        fill(@table.fetch(key), params)
      end

      # Sentences use the units of their language: "31.0 分". Tables and charts use international ones.
      # @param text [String] with %{name}, see Phrase
      # @param params [Hash{Symbol => Object}] values, possibly figures
      def fill(text, params)
        return text if params.empty?
        values = params.transform_values { |value| spoken(value) }
        joined(Phrase.call(text, values, unknown: @table.fetch(:unknown_value)))
      end

      # @param kind [Symbol] :request, :job or :unit
      # @param count [Integer, nil] nil: without a preceding number
      # @return [String] "requests", or "request" if count is one
      def units(kind, count = nil)
        call((count == 1) ? :"kind_#{kind}_one" : :"kind_#{kind}")
      end

      # @return [String] "one, two"
      def list(items)
        items.join(@table.fetch(:list_separator))
      end

      # @param text [String, nil] how or where to change a setting of a server, as recorded
      # @return [String, nil] the same with the phrases of this language
      def lever(text)
        phrases = @table.fetch(:change_hints, [])
        text && phrases.reduce(text) { |result, (phrase, own)| result.gsub(phrase, own) }
      end

      # @param text [String] a fact of a JIT, as recorded
      # @return [String] in this language
      def jit_fact(text)
        @table.fetch(:jit_facts, {}).fetch(text.to_sym, text)
      end

      private

      def spoken(value)
        return value unless value.is_a?(String) && FIGURES.match?(value)
        value.gsub(FIGURE) { "#{$1} #{@table.fetch(UNITS.fetch($2))}" }
      end

      # No space follows a unit written in Japanese: "31 分前", but "31 ms 前".
      def joined(text)
        (@language == "ja") ? text.gsub(JOINED, "\\1") : text
      end
    end
  end
end
