# frozen_string_literal: true

require "i18n"

module Holdup
  module View
    # Every sentence and heading of the reports in one language. A missing key raises at once and a test
    # compares the languages, so a half-translated report can't happen.
    class Words
      # What is in some files of one language. An own backend: the `I18n` of the application that mounts the
      # dashboard has its own locales and load path, which stay unused and unchanged.
      class Translations < I18n::Backend::Simple
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

      # The texts of one language by their keys. A file is parsed when the first of its keys is asked for:
      # a command says what is in some of them, and parsing all takes longer than its own work. Threads share
      # it.
      class LocaleTexts
        # Of a line that begins a text.
        KEY = /^  "?(\w+)"?:/
        private_constant :KEY

        # @param folder [String] with folders `locales` anywhere below it
        # @return [Hash{String => LocaleTexts}] by language, English first; frozen
        def self.all(folder = LocaleFiles::FOLDER)
          LocaleFiles.all(folder).to_h { |language, files| [language, new(language, files)] }.freeze
        end

        # @param language [String]
        # @param files [Array<String>] paths; no key is in two of them
        def initialize(language, files)
          @language = language
          @files = files
          @parsed = {}
          @lock = Mutex.new
        end

        # @return [Array<Symbol>]
        def keys = file_by_key.keys

        # @param key [Symbol]
        def key?(key) = file_by_key.key?(key)

        # @param key [Symbol]
        # @param default what is returned where there is no such text
        # @return [String, Array, Hash]
        # @raise [KeyError] there is no such text, and no default
        def fetch(key, *default)
          file = file_by_key[key]
          return parsed(file).fetch(key) if file
          default.fetch(0) { raise KeyError.new("no language has #{key.inspect}", receiver: self, key:) }
        end

        # @return [Hash{Symbol => String, Array, Hash}] all of them; frozen
        def to_h = keys.to_h { |key| [key, fetch(key)] }.freeze

        private

        def file_by_key
          @file_by_key || @lock.synchronize do
            @file_by_key ||= @files.flat_map { |file| keys_of(file) }.to_h
          end
        end

        def keys_of(file)
          File.read(file, encoding: Encoding::UTF_8).scan(KEY).map { |(key)| [key.to_sym, file] }
        end

        def parsed(file)
          @parsed[file] || @lock.synchronize do
            @parsed[file] ||= Translations.new(@language, [file]).to_h
          end
        end
      end

      DEFAULT = LocaleFiles::DEFAULT
      # Units of time whose names depend on the language; smaller ones are international.
      UNITS = {"s" => :unit_s, "min" => :unit_min, "h" => :unit_h, "d" => :unit_d}.freeze
      FIGURE = /([-+]?[\d.,]+) (s|min|h|d)\b/
      FIGURES = /\A#{FIGURE}(?:(?: - |\.\.)#{FIGURE})?\z/
      # Any number but one.
      MANY = 2
      # Names of settings begin with the fingerprints of one or more.
      SETTING_LABEL = /\A(\h{6}(?:, \h{6})*): (.+)\z/m
      private_constant :UNITS, :FIGURE, :FIGURES, :MANY, :SETTING_LABEL
      LANGUAGES = LocaleTexts.all
      # Before the key of a sentence: what a page of the dashboard says instead, where a reader clicks and
      # does not type a command with its options.
      ON_PAGE = "on_page_"

      # @return [String] what the language calls itself
      def self.name_of(language) = LANGUAGES.fetch(language).fetch(:language_name)

      attr_reader :language

      # @param language [String] a key of LANGUAGES
      # @param page [Boolean] whether a page of the dashboard says it, and not a report in a terminal
      # @raise [Holdup::UsageError] another language
      def initialize(language = DEFAULT, page: false)
        LocaleFiles.check(language)
        @table = LANGUAGES.fetch(language)
        @page = page
        @language = language
      end

      # @param key [Symbol] a key of the locale files
      # @param params values for its %{name}; `count` chooses among the forms of a text that has several
      #   (`one`, `other`)
      def call(key, **params)
        text = text_of(key)
        text = Translations.form(text, params.fetch(:count, MANY), language: @language) if text.is_a?(Hash)
        fill(text, params)
      end

      # What somebody typed is neither a figure nor a missing value.
      # @return [String] the sentence with its values as they are
      def verbatim(key, **params)
        I18n.interpolate_hash(text_of(key), params)
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

      # @return [String] "label: text", with the colon of the language
      def labelled(label, text) = [label, text].join(@table.fetch(:label_separator))

      # @param label [String] "a1b2c3: threads=5", or any other name of what is compared
      # @return [String] with the colon of the language
      def setting_label(label)
        fingerprints, facts = label.match(SETTING_LABEL)&.captures
        facts ? labelled(fingerprints, facts) : label
      end

      # @return [String] "one or two"
      def alternatives(items)
        items.join(@table.fetch(:alternative_separator))
      end

      # @return [String] "-5.4..-1.7 %", where the last has the unit
      def range(least, most) = [least, most].join(@table.fetch(:range_separator))

      # @return [String] "10 min - 1 h"
      def span(from, to) = [from, to].join(@table.fetch(:span_separator))

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

      def text_of(key)
        own = :"#{ON_PAGE}#{key}" if @page
        @table.fetch((own && @table.key?(own)) ? own : key)
      end

      def spoken(value)
        return value unless value.is_a?(String) && FIGURES.match?(value)
        value.gsub(FIGURE) { "#{$1} #{@table.fetch(UNITS.fetch($2))}" }
      end

      # A language may write a unit of time without a space behind it: "31 分前", but "31 ms 前".
      def joined(text)
        @table.fetch(:units_join_text) ? text.gsub(unit_and_space, "\\1") : text
      end

      def unit_and_space
        @unit_and_space ||= begin
          units = UNITS.values.map { |key| Regexp.escape(@table.fetch(key)) }
          /(?<=\d )(#{units.join("|")}) (?=\p{L})/
        end
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
