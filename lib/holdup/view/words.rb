# frozen_string_literal: true

module Holdup
  module View
    # Every sentence and heading of the reports in one language. A missing key raises at once (a test compares
    # the languages), so a half-translated report can't happen.
    class Words
      EN = [Locales::EN, Locales::ADVICE_EN, Locales::FINDINGS_EN, Locales::CALCULATE_EN, Locales::COMPARE_EN, Locales::CONNECTIONS_EN,
        Locales::DOCTOR_EN, Locales::JIT_EN, Locales::MACHINE_EN, Locales::LAB_EN, Locales::SWEEP_EN, Locales::TIMELINE_EN, Locales::PAGES_EN, Locales::CAPTURES_EN, Locales::CHARTS_EN].freeze
      JA = [Locales::JA, Locales::ADVICE_JA, Locales::FINDINGS_JA, Locales::CALCULATE_JA, Locales::COMPARE_JA, Locales::CONNECTIONS_JA,
        Locales::DOCTOR_JA, Locales::JIT_JA, Locales::MACHINE_JA, Locales::LAB_JA, Locales::SWEEP_JA, Locales::TIMELINE_JA, Locales::PAGES_JA, Locales::CAPTURES_JA, Locales::CHARTS_JA].freeze
      # Units of time that languages name differently; the smaller ones are the same everywhere.
      UNITS = {"s" => :unit_s, "min" => :unit_min, "h" => :unit_h, "d" => :unit_d}.freeze
      FIGURE = /([-+]?[\d.,]+) (s|min|h|d)\b/
      FIGURES = /\A#{FIGURE}(?:(?: - |\.\.)#{FIGURE})?\z/
      JOINED = /(?<=\d )(秒|分|時間|日) (?=[\p{Han}\p{Hiragana}\p{Katakana}])/
      # What is recorded in English.
      LEVERS = {"ja" => Locales::LEVERS_JA}.freeze
      JIT_FACTS = {"ja" => Locales::JIT_FACTS_JA}.freeze
      private_constant :EN, :JA, :UNITS, :FIGURE, :FIGURES, :JOINED, :LEVERS, :JIT_FACTS
      LANGUAGES = {"en" => EN, "ja" => JA}.transform_values { |tables| tables.reduce(:merge).freeze }.freeze

      attr_reader :language

      # @param language [String] "en" or "ja"
      # @raise [Holdup::UsageError] another language
      def initialize(language = "en")
        @table = LANGUAGES.fetch(language) do
          raise UsageError,
            "there is no language #{language.inspect}; --lang takes one of: #{LANGUAGES.keys.join(", ")}"
        end
        @language = language
      end

      # @param key [Symbol] a key of the locale files
      # @param params the values that its %<name>s take
      # @return [String]
      def call(key, **params)
        fill(@table.fetch(key), params)
      end

      # Sentences have the units of their language: "31.0 分". Tables and charts have the international ones.
      # @param text [String] with %<name>s, see Phrase
      # @param params [Hash{Symbol => Object}] their values; a figure may be among them
      # @return [String]
      def fill(text, params)
        return text if params.empty?
        values = params.transform_values { |value| spoken(value) }
        joined(Phrase.call(text, values, unknown: @table.fetch(:unknown_value)))
      end

      # @param kind [Symbol] :request, :job or :unit
      # @param count [Integer, nil] how many; nil: no number stands before it
      # @return [String] "requests", "request" where it is one
      def units(kind, count = nil)
        call((count == 1) ? :"kind_#{kind}_one" : :"kind_#{kind}")
      end

      # @param items [Array<String>]
      # @return [String] "one, two"
      def list(items)
        items.join(@table.fetch(:list_separator))
      end

      # @param text [String, nil] how or where something of a server is changed, as it was recorded
      # @return [String, nil] the same with the phrases that this language has
      def lever(text)
        phrases = LEVERS.fetch(@language, {})
        text && phrases.reduce(text) { |told, (phrase, own)| told.gsub(phrase, own) }
      end

      # @param text [String] a fact of a JIT, as it was recorded
      # @return [String] as this language says it
      def jit_fact(text)
        JIT_FACTS.fetch(@language, {}).fetch(text, text)
      end

      private

      def spoken(value)
        return value unless value.is_a?(String) && FIGURES.match?(value)
        value.gsub(FIGURE) { "#{$1} #{@table.fetch(UNITS.fetch($2))}" }
      end

      # A unit that is written in Japanese goes on without a space: "31 分前", but "31 ms 前".
      def joined(text)
        (@language == "ja") ? text.gsub(JOINED, "\\1") : text
      end
    end
  end
end
