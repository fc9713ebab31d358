# frozen_string_literal: true

require "digest"

module Holdup
  class Web
    module Static
      # One file with everything in it, that opens from a disk, can be mailed and printed: it refers to
      # nothing, and its policy forbids the browser to ask anybody for anything or to run anything.
      class Document
        STYLE = File.join(__dir__, "static.css")

        # @param page [View::Page] of which it is made
        # @param language [String]
        # @return [Document]
        def self.of(page, language:)
          single(page.title, Blocks.of(page), words: View::Words.new(language))
        end

        # @param title [String]
        # @param blocks [Array<Object>] that are all of it
        # @param words [View::Words]
        # @return [Document]
        def self.single(title, blocks, words:)
          new([Part.new(id: "page", title:, blocks:)], title:, words:)
        end

        # @param parts [Array<Part>]
        # @param title [String]
        # @param about [Array<String>] lines under the title: of what it is
        # @param words [View::Words]
        def initialize(parts, title:, words:, about: [])
          @parts = parts
          @title = title
          @about = about
          @words = words
        end

        # @return [String] HTML
        def call
          settled = StandaloneBlocks.new(@parts)
          parts = @parts.map { |part| part.with(blocks: settled.call(part)) }
          Templates.new.render("static",
            locals: {view: TemplateHelpers.new(words: @words, parts:, title: @title), parts:, about: @about, style:,
                     policy:})
        end

        private

        def style
          @style ||= "#{read("holdup.css")}@media #{Theme::MEDIA["auto"]} {\n#{read("dark.css")}}\n#{File.read(
            STYLE, encoding: "UTF-8"
          )}"
        end

        def read(asset)
          File.read(File.join(Assets::DIR, asset), encoding: "UTF-8")
        end

        def policy
          "default-src 'none'; style-src 'sha256-#{Digest::SHA256.base64digest(style)}'; img-src data:; base-uri 'none'; form-action 'none'"
        end
      end
    end
  end
end
