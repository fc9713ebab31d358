# frozen_string_literal: true

require "i18n"

module Holdup
  module View
    # Every sentence and heading of the reports in one language. A missing key raises at once and a test
    # compares the languages, so a half-translated report can't happen.
    class Words
      # The texts of all languages, see LocaleFiles. An own backend: the `I18n` of the application that mounts
      # the dashboard has its own locales and load path, which stay unused and unchanged.
      class Translations < I18n::Backend::Simple
        # @param folder [String] with folders `locales` anywhere below it
        # @return [Hash{String => Hash{Symbol => String, Array, Hash}}] texts by language, English first;
        #   frozen
        def self.all(folder = LocaleFiles::FOLDER)
          LocaleFiles.all(folder).to_h { |language, files| [language, new(language, files).to_h] }.freeze
        end

        # @param forms [Hash{Symbol => String}] `one`, `other`
        # @return [String] the one for a count, as I18n chooses it
        def self.form(forms, count, language:)
          new(language, []).pluralize(language, forms, count)
        end

        # @!visibility private
        public :pluralize

        def initialize(language, files)
          super()
          @language = language.to_sym
          @files = files
        end

        # @return [Hash{Symbol => String, Array, Hash}]
        def to_h
          translations(do_init: true).fetch(@language).freeze
        end

        # The superclass keeps nothing in a language that the host's `I18n.available_locales` lack.
        def store_translations(language, texts, *)
          translations[language.to_sym].merge!(I18n::Utils.deep_symbolize_keys(texts))
        end

        protected

        # The superclass would read the files of the host's `I18n.load_path`.
        def init_translations
          @initialized = true
          load_translations(@files)
        end
      end

      DEFAULT = LocaleFiles::DEFAULT
      # Units of time whose names depend on the language; smaller ones are international.
      UNITS = {"s" => :unit_s, "min" => :unit_min, "h" => :unit_h, "d" => :unit_d}.freeze
      FIGURE = /([-+]?[\d.,]+) (s|min|h|d)\b/
      FIGURES = /\A#{FIGURE}(?:(?: - |\.\.)#{FIGURE})?\z/
      # Any number but one.
      MANY = 2
      private_constant :UNITS, :FIGURE, :FIGURES, :MANY
      LANGUAGES = Translations.all
      # Before the key of a sentence: what a page of the dashboard says instead, where a reader clicks and
      # does not type a command with its options.
      ON_PAGE = "on_page_"
      ON_PAGES = LANGUAGES.transform_values { |table|
        own = table.select { |key, _| key.start_with?(ON_PAGE) }
        table.merge(own.transform_keys { |key| key.to_s.delete_prefix(ON_PAGE).to_sym }).freeze
      }.freeze
      # After a unit of time that the language writes without a space: "31 分前", but "31 ms 前".
      JOINED = LANGUAGES.transform_values { |table|
        units = UNITS.values.map { |key| Regexp.escape(table.fetch(key)) }
        /(?<=\d )(#{units.join("|")}) (?=\p{L})/ if table.fetch(:units_join_text)
      }.freeze
      private_constant :ON_PAGES, :JOINED

      # @return [String] what the language calls itself
      def self.name_of(language) = LANGUAGES.fetch(language).fetch(:language_name)

      attr_reader :language

      # @param language [String] a key of LANGUAGES
      # @param page [Boolean] whether a page of the dashboard says it, and not a report in a terminal
      # @raise [Holdup::UsageError] another language
      def initialize(language = DEFAULT, page: false)
        LocaleFiles.check(language)
        @table = (page ? ON_PAGES : LANGUAGES).fetch(language)
        @language = language
      end

      # @param key [Symbol] a key of the locale files
      # @param params values for its %{name}; `count` chooses among the forms of a text that has several
      #   (`one`, `other`)
      def call(key, **params)
        text = @table.fetch(key)
        text = Translations.form(text, params.fetch(:count, MANY), language: @language) if text.is_a?(Hash)
        fill(text, params)
      end

      # What somebody typed is neither a figure nor a missing value.
      # @return [String] the sentence with its values as they are
      def verbatim(key, **params)
        I18n.interpolate_hash(@table.fetch(key), params)
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
        call(:"kind_#{kind}", **{count:}.compact)
      end

      # @return [String] "one, two"
      def list(items)
        items.join(@table.fetch(:list_separator))
      end

      # @return [String] "one or two"
      def alternatives(items)
        items.join(@table.fetch(:alternative_separator))
      end

      # @return [String] all of them in a row
      def sentences(texts)
        texts.join(@table.fetch(:sentence_separator))
      end

      # @param key [Symbol]
      def key?(key) = @table.key?(key)

      # @param fact [String] of a JIT, as recorded: "command line", or a name, such as that of a gem
      # @return [String] in this language
      def jit_fact(fact)
        @table.fetch(:"jit_fact_#{fact.tr(" ", "_")}", fact)
      end

      private

      def spoken(value)
        return value unless value.is_a?(String) && FIGURES.match?(value)
        value.gsub(FIGURE) { "#{$1} #{@table.fetch(UNITS.fetch($2))}" }
      end

      def joined(text)
        pattern = JOINED.fetch(@language)
        pattern ? text.gsub(pattern, "\\1") : text
      end
    end

    # A sentence of a locale with its values filled in.
    #
    # I18n does what it can: `I18n.interpolate_hash` fills in `%{name}`, and the backend's `pluralize` chooses
    # among the texts `one` and `other` of a key by one count (`Words#call`). It has one count for a text, and
    # no form for values that are not known; what to say where one is missing would be a setting of the whole
    # process (`I18n.config.missing_interpolation_argument_handler`), which is the host application's. So the
    # rest of the notation is here, and nowhere else:
    #
    # - `{name:process|processes}`: the first form if that value is 1, else the second. A sentence may have
    #   several. A language without plurals writes neither.
    # - `[[, %{name} in all]]`: a part that is left out if one of its values is missing (nil or "-").
    # - A missing value outside such a part is shown as the language's `unknown_value`.
    # - A value that ends with a full stop loses it if the sentence continues with punctuation.
    # - Japanese has a space between its letters and others, and none between its own: a value gets the space
    #   that a left out part would have made needless, and loses the one that its own letters make needless.
    #
    # @example
    #   text = "%{count} {count:process|processes}[[, %{share} busy]]."
    #   Phrase.call(text, {count: "1", share: "-"}, unknown: "unknown") # => "1 process."
    module Words::Phrase
      VALUE = /%\{(\w+)\}/
      FORMS = /(?<!%)\{(\w+):([^|{}]*)\|([^|{}]*)\}/
      PART = /\[\[(.*?)\]\]/m
      # Closing punctuation of both languages after a value.
      ENDED = /[.;。；]+\z/
      BEFORE_A_STOP = /%\{(\w+)\}(?=[.,;:。、；：])/
      MISSING = "-"
      ONE = "1"
      LETTERS = /[\p{Han}\p{Hiragana}\p{Katakana}ー]/
      OPENS = /\A(?:#{LETTERS}|[「『（])/
      CLOSES = /(?:#{LETTERS}|[」』）])\z/
      LATIN = /[A-Za-z\]?!]\z/
      SPACE_BEFORE = /(?<=#{LETTERS}) (?=%\{(\w+)\})/
      SPACE_BEHIND = /%\{(\w+)\}( ?)(?=#{LETTERS})/
      private_constant :LETTERS, :OPENS, :CLOSES, :LATIN, :SPACE_BEFORE, :SPACE_BEHIND

      module_function

      # @param text [String] of a locale
      # @param values [Hash{Symbol => Object}] as they are to be read: figures are formatted
      # @param unknown [String] text for a missing value
      # @return [String]
      def call(text, values, unknown:)
        return text unless text.match?(/%\{|\{\w+:[^{}]*\||\[\[/)
        text = formed(parted(text, values), values)
        values = complete(text, values, unknown)
        I18n.interpolate_hash(spaced(text, values), values)
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

      def spaced(text, values)
        return text if text.ascii_only?
        text = text.gsub(SPACE_BEFORE) { OPENS.match?(values[$1.to_sym].to_s) ? "" : " " }
        text.gsub(SPACE_BEHIND) do
          name, space = $~.captures
          "%{#{name}}#{space_behind(values[name.to_sym].to_s, space)}"
        end
      end

      def space_behind(value, space)
        return "" if CLOSES.match?(value)
        LATIN.match?(value) ? " " : space
      end
      private_class_method :parted, :formed, :complete, :spaced, :space_behind
    end
  end
end
