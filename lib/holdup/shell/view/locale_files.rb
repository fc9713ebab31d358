# frozen_string_literal: true

module Holdup
  module View
    # The files of all languages. A language is the YAML files that bear its code: `locales/en.yml` in the
    # folder of a feature, or several in `locales/en/`. They are found here, and no list names a language.
    module LocaleFiles
      FOLDER = File.expand_path("../..", __dir__)
      PATTERN = "**/locales/**/*.yml"
      # "en", "pt-BR": of a file or of its folder, as in the `lang` of HTML.
      LANGUAGE = %r{/locales/([a-z]{2,3}(?:-[A-Za-z]{2,8})?)(?:\.yml|/)}
      # Of code without a language, and where nothing asks for another one.
      DEFAULT = "en"

      # @param folder [String] with folders `locales` anywhere below it
      # @return [Hash{String => Array<String>}] paths by language, English first
      def self.all(folder = FOLDER)
        files = Dir[File.join(folder, PATTERN)].sort.group_by { |file| file[LANGUAGE, 1] }
        languages = files.keys.compact.sort_by { |language| [(language == DEFAULT) ? 0 : 1, language] }
        files.slice(*languages)
      end

      LANGUAGES = all.keys.freeze

      # @param locale [String] of an environment or a browser: "ja_JP.UTF-8", "pt-BR"
      # @return [String, nil] the language that serves it best
      def self.language_of(locale)
        wanted = locale.to_s.b[/\A[\w-]+/].to_s.tr("_", "-").downcase
        LANGUAGES.find { |one| one.downcase == wanted } ||
          LANGUAGES.find { |one| one == wanted[/\A[a-z]+/] }
      end

      # @raise [UsageError] another language than these
      def self.check(language)
        return if LANGUAGES.include?(language)
        raise UsageError,
          "unknown language #{language.inspect}; --lang takes one of: #{LANGUAGES.join(", ")}"
      end
    end
  end
end
