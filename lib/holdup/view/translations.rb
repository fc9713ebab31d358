# frozen_string_literal: true

require "i18n"

module Holdup
  module View
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
  end
end
