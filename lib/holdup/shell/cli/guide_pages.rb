# frozen_string_literal: true

module Holdup
  class CLI
    # The pages of the guide and its stories: files in docs/, which are part of the gem.
    module GuidePages
      FOLDER = File.expand_path("../../../../docs", __dir__)
      PAGES = "{*,stories/*}.md"
      # The list of all pages, for readers of the repository.
      LIST = "README.md"
      # docs/start.ja.md is docs/start.md in Japanese.
      TRANSLATION = /\.[a-z]{2}\.md\z/

      # `name`: "advise" of docs/advise.md; `path`: of the English file
      GuidePage = Data.define(:name, :path) do
        # @param language [String] the page is in English if it has no translation
        # @return [String]
        def text(language)
          translation = path.sub(/\.md\z/, ".#{language}.md")
          File.read(File.file?(translation) ? translation : path, encoding: Encoding::UTF_8)
        end

        # @return [String] its first sentence; the title, if it has none
        def about(language) = Beginning.new(text(language)).sentence
      end

      # @return [Hash{String => GuidePage}] by name, in its order
      def self.all(folder = FOLDER)
        paths = Dir.glob(PAGES, base: folder).grep_v(TRANSLATION) - [LIST]
        pages = paths.to_h do |path|
          name = File.basename(path, ".md")
          [name, GuidePage.new(name:, path: "#{folder}/#{path}")]
        end
        pages.sort.to_h
      end

      # @param given [String] "advise", or its file as a link names it: "docs/advise.md"
      # @return [GuidePage]
      # @raise [UsageError] there is no such page; suggests the nearest name
      def self.fetch(given, folder = FOLDER)
        pages = all(folder)
        name = given.delete_suffix(".md").split("/").last.to_s
        pages.fetch(name) do
          raise UsageError.new("no page of the guide is called #{given[0, 100].inspect}",
            Queries::OptionValues::NearestName.hint(name, pages.keys) || "`holdup docs` lists them")
        end
      end

      # What a page begins with.
      class Beginning
        CODE = /^```.*?^```$\n?/m
        # Headings, tables, lists, pictures, and the link to the page in another language.
        NO_PROSE = /\A(?:[#|<!-]|\d+\. |\[[^\]]+\]\([^)]+\)\s*\z)/
        LINK = /\[([^\]]+)\]\([^)]+\)/
        EMPHASIS = /(\*{1,2})(\S[^*]*)\1/
        # "Yes." alone says nothing.
        SENTENCE = /\A.{20,}?(?:[.?!](?=\s|\z)|。|\z)|\A.+\z/m

        # @param text [String] Markdown
        def initialize(text)
          @title = text[/\A# (.+)$/, 1].to_s
          @paragraphs = text.gsub(CODE, "").split(/\n{2,}/)
        end

        # @return [String] in one line, without Markdown's marks
        def sentence
          prose = @paragraphs.map(&:strip).find { |part| !part.empty? && !part.match?(NO_PROSE) }
          (prose || @title).gsub(LINK, '\1').gsub(EMPHASIS, '\2').gsub(/\s+/, " ")[SENTENCE].sub(/:\z/, ".")
        end
      end
    end
  end
end
