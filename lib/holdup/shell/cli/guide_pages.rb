# frozen_string_literal: true

module Holdup
  class CLI
    # The guide, the stories, how it works, and the reference: files in docs/, which are part of the gem.
    module GuidePages
      FOLDER = File.expand_path("../../../../docs", __dir__)
      PAGES = "{*,guide/*,stories/*,internals/*,reference/*}.md"
      REFERENCE = "reference/"
      # The list of all pages, for readers of the repository.
      LIST = "README.md"
      # docs/start.ja.md is docs/start.md in Japanese.
      TRANSLATION = /\.[a-z]{2}\.md\z/

      # Generated pages begin with a note for those who would change them.
      GENERATED = /\A<!--.*?-->\n+/m

      # `name`: "advise" of docs/guide/advise.md; `path`: of the English file
      GuidePage = Data.define(:name, :path) do
        # @param language [String] the page is in English if it has no translation
        # @return [String]
        def text(language)
          translation = path.sub(/\.md\z/, ".#{language}.md")
          text = File.read(File.file?(translation) ? translation : path, encoding: Encoding::UTF_8)
          text.sub(GENERATED, "")
        end

        # @return [String] its first sentence; the title, if it has none
        def about(language) = Beginning.new(text(language)).sentence
      end

      # @return [Hash{String => GuidePage}] by name, in its order. A page of the reference is called with its
      #   folder if the guide has a page of that name: "reference/json"
      def self.all(folder = FOLDER)
        paths = Dir.glob(PAGES, base: folder).grep_v(TRANSLATION) - [LIST]
        reference, guide = paths.partition { |path| path.start_with?(REFERENCE) }
        names = guide.to_h { |path| [File.basename(path, ".md"), path] }
        reference.each do |path|
          name = File.basename(path, ".md")
          names[names.key?(name) ? "#{REFERENCE}#{name}" : name] = path
        end
        names.sort.to_h { |name, path| [name, GuidePage.new(name:, path: "#{folder}/#{path}")] }
      end

      # @param given [String] "advise", or its file as a link names it: "docs/guide/advise.md"
      # @return [GuidePage]
      # @raise [UsageError] there is no such page; suggests the nearest name
      def self.fetch(given, folder = FOLDER)
        pages = all(folder)
        path = given.delete_prefix("docs/").delete_suffix(".md")
        name = pages.key?(path) ? path : path.split("/").last.to_s
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
