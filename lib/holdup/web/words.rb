# frozen_string_literal: true

module Holdup
  class Web
    # The sentences of the dashboard in one language, with those of the reports under them.
    class Words
      attr_reader :language
      # @return [Holdup::View::Words]
      attr_reader :reports

      # @param language [String] "en" or "ja"
      def initialize(language)
        @language = language
        @reports = Holdup::View::Words.new(language)
      end

      # @param key [Symbol]
      # @param facts what its %{name} take
      # @return [String]
      def call(key, **facts)
        @reports.call(key, **facts)
      end
    end
  end
end
