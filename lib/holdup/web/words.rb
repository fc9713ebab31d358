# frozen_string_literal: true

module Holdup
  class Web
    # The sentences of the dashboard in one language, with those of the reports under them.
    class Words
      LANGUAGES = {"en" => Locales::EN.merge(Locales::CAPTURES_EN, Locales::CHARTS_EN).freeze,
                   "ja" => Locales::JA.merge(Locales::CAPTURES_JA, Locales::CHARTS_JA).freeze}.freeze

      attr_reader :language
      # @return [Holdup::View::Words]
      attr_reader :reports

      # @param language [String] "en" or "ja"
      def initialize(language)
        @language = language
        @table = LANGUAGES.fetch(language)
        @reports = Holdup::View::Words.new(language)
      end

      # @param key [Symbol]
      # @param facts what its %<name>s take
      # @return [String]
      def call(key, **facts)
        @table.key?(key) ? @reports.fill(@table[key], facts) : @reports.call(key, **facts)
      end
    end
  end
end
