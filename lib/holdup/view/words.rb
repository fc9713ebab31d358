# frozen_string_literal: true

require "i18n"

module Holdup
  module View
    # Every sentence and heading of the reports in one language. A missing key raises at once and a test
    # compares the languages, so a half-translated report can't happen.
    class Words
      # The texts of `locales/`, by language. Its own backend: the `I18n` of the application that mounts the
      # dashboard has its own locales and load path, which stay unused and unchanged.
      class Translations < I18n::Backend::Simple
        FILES = File.join(__dir__, "locales/%{language}/*.yml")

        # @param language [String] "en" or "ja"
        # @return [Hash{Symbol => String, Array, Hash}] frozen
        def self.of(language)
          new(language).to_h
        end

        def initialize(language)
          super()
          @language = language.to_sym
        end

        # @return [Hash{Symbol => String, Array, Hash}]
        def to_h
          translations(do_init: true).fetch(@language).freeze
        end

        protected

        # The superclass would read the files of the host's `I18n.load_path`.
        def init_translations
          load_translations(Dir[format(FILES, language: @language)].sort)
          @initialized = true
        end
      end

      # Units of time whose names depend on the language; smaller ones are international.
      UNITS = {"s" => :unit_s, "min" => :unit_min, "h" => :unit_h, "d" => :unit_d}.freeze
      FIGURE = /([-+]?[\d.,]+) (s|min|h|d)\b/
      FIGURES = /\A#{FIGURE}(?:(?: - |\.\.)#{FIGURE})?\z/
      JOINED = /(?<=\d )(秒|分|時間|日) (?=[\p{Han}\p{Hiragana}\p{Katakana}])/
      private_constant :UNITS, :FIGURE, :FIGURES, :JOINED
      LANGUAGES = %w[en ja].to_h { |language| [language, Translations.of(language)] }.freeze
      # Before the key of a sentence: what a page of the dashboard says instead, where a reader clicks and
      # does not type a command with its options.
      ON_PAGE = "on_page_"
      ON_PAGES = LANGUAGES.transform_values { |table|
        own = table.select { |key, _| key.start_with?(ON_PAGE) }
        table.merge(own.transform_keys { |key| key.to_s.delete_prefix(ON_PAGE).to_sym }).freeze
      }.freeze
      private_constant :ON_PAGES

      attr_reader :language

      # @param language [String] "en" or "ja"
      # @param page [Boolean] whether a page of the dashboard says it, and not a report in a terminal
      # @raise [Holdup::UsageError] another language
      def initialize(language = "en", page: false)
        @table = (page ? ON_PAGES : LANGUAGES).fetch(language) do
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

      # @return [String] all of them in a row; in Japanese no space is between them
      def sentences(texts)
        texts.join((@language == "ja") ? "" : " ")
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

    # A sentence of a locale with its values filled in. Besides `%{name}` a sentence may contain
    #
    # - `{name:process|processes}`: the first form if that value is 1, else the second
    # - `[[, %{name} in all]]`: a part that is left out if one of its values is missing
    #
    #   text = "%{count} {count:process|processes}[[, %{share} busy]]."
    #   Phrase.call(text, {count: "1", share: "-"}, unknown: "unknown") # => "1 process."
    #
    # A missing value outside such a part is shown as unknown, and a value that ends with a full stop loses it
    # if the sentence continues with one.
    module Words::Phrase
      VALUE = /%\{(\w+)\}/
      FORMS = /(?<!%)\{(\w+):([^|{}]*)\|([^|{}]*)\}/
      PART = /\[\[(.*?)\]\]/m
      # Closing punctuation of both languages after a value.
      ENDED = /[.;。；]+\z/
      BEFORE_A_STOP = /%\{(\w+)\}(?=[.,;:。、；：])/
      MISSING = "-"
      ONE = "1"

      module_function

      # @param text [String] of a locale
      # @param unknown [String] text for a missing value
      def call(text, values, unknown:)
        return text unless text.match?(/%\{|\{\w+:[^{}]*\||\[\[/)
        text = formed(parted(text, values), values)
        values = complete(text, values, unknown)
        text.gsub(VALUE) { values.fetch($1.to_sym) }
      end

      def missing?(value)
        value.nil? || value == MISSING
      end

      def parted(text, values)
        text.gsub(PART) do |part|
          inside = part.delete_prefix("[[").delete_suffix("]]")
          (inside.scan(VALUE).any? { |(name)| missing?(values[name.to_sym]) }) ? "" : inside
        end
      end

      def formed(text, values)
        text.gsub(FORMS) { (values[$1.to_sym].to_s == ONE) ? $2 : $3 }
      end

      def complete(text, values, unknown)
        stopped = text.scan(BEFORE_A_STOP).map { |(name)| name.to_sym }
        values.to_h do |name, value|
          next [name, unknown] if missing?(value)
          [name, (value.is_a?(String) && stopped.include?(name)) ? value.sub(ENDED, "") : value]
        end
      end
      private_class_method :parted, :formed, :complete
    end
  end
end
