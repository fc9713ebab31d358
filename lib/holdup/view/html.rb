# frozen_string_literal: true

require "digest"

module Holdup
  module View
    # One HTML file with everything in it, that opens from a disk, can be mailed and printed: it refers to
    # nothing, and its policy forbids the browser to ask anybody for anything or to run anything.
    class Html
      # Style sheets that the dashboard has too.
      ASSETS = File.join(__dir__, "html/assets")
      FILE_STYLE = File.join(__dir__, "html/file.css")
      # When the dark colours are in force: never on paper.
      DARK_MEDIA = "screen and (prefers-color-scheme: dark)"

      # What would be a page of the dashboard is a part of a file.
      #
      # - `id`: what links of the file lead to it by; `blocks`: Array of Blocks; `charts`: {String => Chart},
      #   those of them that are drawn; `listed`: whether it is in the list of contents
      # - `page`, `params`: what links of the dashboard lead to it by
      Part = Data.define(:id, :title, :blocks, :charts, :listed, :page, :params) do
        def initialize(id:, title:, blocks:, charts: {}, listed: true, page: id, params: {})
          super
        end
      end

      # @param page [Page] of which it is made
      # @param language [String]
      # @return [Html]
      def self.of(page, language:)
        single(page.title, page.blocks, words: Words.new(language))
      end

      # @param title [String]
      # @param blocks [Array<Object>] that are all of it
      # @param words [Words]
      # @return [Html]
      def self.single(title, blocks, words:)
        new([Part.new(id: "page", title:, blocks:)], title:, words:)
      end

      # @param parts [Array<Part>]
      # @param title [String]
      # @param about [Array<String>] lines under the title: of what it is
      # @param words [Words]
      def initialize(parts, title:, words:, about: [])
        @parts = parts
        @title = title
        @about = about
        @words = words
      end

      # @return [String] HTML
      def call
        standalone = StandaloneBlocks.new(@parts)
        parts = @parts.map { |part| part.with(blocks: standalone.call(part)) }
        view = FileHelpers.new(words: @words, parts:, title: @title)
        Templates.new.render("file", locals: {view:, parts:, about: @about, style:, policy:})
      end

      private

      def style
        @style ||= "#{asset("holdup.css")}@media #{DARK_MEDIA} {\n#{asset("dark.css")}}\n#{read(FILE_STYLE)}"
      end

      def asset(name) = read(File.join(ASSETS, name))

      def read(path)
        File.read(path, encoding: "UTF-8")
      end

      def policy
        "default-src 'none'; style-src 'sha256-#{Digest::SHA256.base64digest(style)}'; img-src data:; " \
          "base-uri 'none'; form-action 'none'"
      end

      # What templates need in a file: addresses are those of its own parts.
      class FileHelpers < Helpers
        # @param words [Words]
        # @param parts [Array<Part>]
        # @param title [String]
        def initialize(words:, parts:, title:)
          super(words:, title:)
          @ids = parts.to_h { |part| [[part.page, part.params], part.id] }
        end

        # @return [String] "#blame"
        def url(page, params = {}, **)
          "##{@ids.fetch([page, params])}"
        end
      end
    end
  end
end
