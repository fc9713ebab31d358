# frozen_string_literal: true

require "digest"
require "tilt"
require "tilt/erubi"

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

      # Blocks for a file, behind which nobody answers: what asks for something else is left out, and links
      # stay only where the file has what they lead to.
      class StandaloneBlocks
        # Charts as they are drawn here, and the table with the same figures.
        Drawings = Data.define(:title, :items, :twin, :notes) do
          def initialize(items:, title: nil, twin: nil, notes: [])
            super
          end

          def view = "drawings"
        end

        KEPT = [Section, Blocks::FetchedCharts, Blocks::InlineCharts, Blocks::Lead, Blocks::Notes,
          Blocks::Split,
          Blocks::Findings, Blocks::Facts, Blocks::Checks].freeze

        # @param parts [Array<Part>] of the file
        def initialize(parts)
          @targets = parts.map { |part| [part.page, part.params] }
        end

        # @param part [Part]
        # @return [Array<Object>] of its blocks
        def call(part)
          kept = part.blocks.select { |block| KEPT.include?(block.class) }
          kept.filter_map { |block| block(block, part.charts) }
        end

        private

        def block(block, charts)
          case block
          when Section then section(block)
          when Blocks::FetchedCharts then drawings(block, charts) if charts.any?
          when Blocks::InlineCharts then Drawings.new(items: drawn(block.charts), notes: block.notes)
          else block
          end
        end

        def drawings(block, charts)
          titled = charts.transform_keys(block.names).slice(*block.names.values)
          notes = [*block.part&.text]
          Drawings.new(title: block.title, items: drawn(titled), twin: section(block.twin), notes:)
        end

        # @param charts [Hash{String => Chart}] by their titles
        def drawn(charts)
          possible = charts.select { |_, chart| SvgChart.possible?(chart) }
          possible.map { |title, chart| SvgChart.new(title, chart) }
        end

        def section(section)
          columns = section.headings.map { |column| column.with(sort: nil) }
          rows = section.rows.map { |row| row.map { |cell| linked(cell) } }
          section.with(columns:, rows:, more: nil)
        end

        def linked(cell)
          (cell.is_a?(Blocks::Link) && !@targets.include?([cell.page, cell.params])) ? cell.text : cell
        end
      end

      # Templates by name; they render others by the same verb.
      class Templates
        SHARED = File.join(__dir__, "html/views")

        # @param dir [String] where they are looked for first; the dashboard has some of its own
        def initialize(dir = SHARED)
          @dirs = [dir, SHARED]
          @templates = {}
        end

        # @param name [String] "blocks/table"
        # @param locals [Hash{Symbol => Object}]
        # @return [String]
        def render(name, locals: {})
          (@templates[name] ||= load(name)).render(self, locals)
        end

        private

        def load(name)
          path = @dirs.map { |dir| File.join(dir, "#{name}.erb") }.find { |file| File.file?(file) }
          Tilt::ErubiTemplate.new(path, escape: true, default_encoding: "UTF-8")
        end
      end
    end
  end
end
