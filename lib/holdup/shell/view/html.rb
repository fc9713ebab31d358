# frozen_string_literal: true

require "digest"
require "tilt"
require "tilt/erubi"

module Holdup
  module View
    # One self-contained HTML file that opens from a disk and can be mailed and printed. Its policy forbids
    # the browser to load or run anything.
    class Html
      # Style sheets shared with the dashboard.
      ASSETS = File.join(__dir__, "html/assets")
      FILE_STYLE = File.join(__dir__, "html/file.css")
      # When the dark colours apply: never on paper.
      DARK_MEDIA = "screen and (prefers-color-scheme: dark)"

      # A page of the dashboard is a part of a file.
      #
      # - `id`: target of the file's links; `blocks`: Array of Blocks; `charts`: {String => Chart}, the drawn
      #   ones; `listed`: whether it is in the table of contents
      # - `page`, `params`: target of the dashboard's links that lead to it
      Part = Data.define(:id, :title, :blocks, :charts, :listed, :page, :params) do
        def initialize(id:, title:, blocks:, charts: {}, listed: true, page: id, params: {})
          super
        end
      end

      # @return [Html] of one page
      def self.of(page, words:)
        new([Part.new(id: "page", title: page.title, blocks: page.blocks)], title: page.title, words:,
          about: page.about)
      end

      # @param about [Array<String>] lines under the title
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
        dark = "@media #{DARK_MEDIA} {\n#{asset("dark.css")}}\n"
        @style ||= "#{asset("holdup.css")}#{asset("overview.css")}#{dark}#{read(FILE_STYLE)}"
      end

      def asset(name) = read(File.join(ASSETS, name))

      def read(path)
        File.read(path, encoding: "UTF-8")
      end

      def policy
        "default-src 'none'; style-src 'sha256-#{Digest::SHA256.base64digest(style)}'; img-src data:; " \
          "base-uri 'none'; form-action 'none'"
      end

      # Template helpers for a file: addresses are those of its own parts.
      class FileHelpers < Helpers
        def initialize(words:, parts:, title:)
          super(words:, title:)
          @ids = parts.to_h { |part| [[part.page, part.params], part.id] }
        end

        # @return [String] "#blame"
        def url(page, params = {}, **)
          "##{@ids.fetch([page, params])}"
        end
      end

      # Blocks for a file without a server: drops what needs a request, and keeps a link only if the file has
      # its target.
      class StandaloneBlocks
        # Charts drawn here, and the table with the same figures.
        Drawings = Data.define(:title, :items, :twin, :notes) do
          def initialize(items:, title: nil, twin: nil, notes: [])
            super
          end

          def view = "drawings"
        end

        KEPT = [Section, Blocks::FetchedCharts, Blocks::InlineCharts, Blocks::Lead, Blocks::Notes,
          Blocks::Split,
          Blocks::Findings, Blocks::Facts, Blocks::Checks, Blocks::Commands, Blocks::Action].freeze

        # @param parts [Array<Part>] of the file
        def initialize(parts)
          @targets = parts.map { |part| [part.page, part.params] }
        end

        # @return [Array<Object>] of its blocks
        def call(part)
          kept = Blocks.flat(part.blocks).select { |block| KEPT.include?(block.class) }
          kept.filter_map { |block| block(block, part.charts) }
        end

        private

        def block(block, charts)
          case block
          when Section then section(block)
          when Blocks::Facts then block.with(pairs: block.pairs.transform_values { |cell| linked(cell) })
          when Blocks::Action then block.with(links: block.links.reject { |link| linked(link).is_a?(String) })
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

        # @param charts [Hash{String => Chart}] by title
        def drawn(charts)
          possible = charts.select { |_, chart| SvgChart.possible?(chart) }
          possible.map { |title, chart| SvgChart.new(title, chart) }
        end

        def section(section)
          columns = section.headings.map { |column| column.with(sort: nil) }
          rows = section.rows.map { |row| row.map { |cell| linked(cell) } }
          details = section.details.map { |detail| linked(detail) }
          section.with(columns:, rows:, details:, more: nil)
        end

        def linked(cell)
          (cell.is_a?(Blocks::Link) && !@targets.include?([cell.page, cell.params])) ? cell.text : cell
        end
      end

      # Templates by name; a template renders others with the same method.
      class Templates
        SHARED = File.join(__dir__, "html/views")
        # It is for readers of a template. Files and pages are smaller without it.
        INDENTATION = /^ +/

        # @param dir [String] searched first; the dashboard has some of its own
        def initialize(dir = SHARED)
          @dirs = [dir, SHARED]
          @templates = {}
        end

        # @param name [String] "blocks/table"
        def render(name, locals: {})
          (@templates[name] ||= load(name)).render(self, locals)
        end

        private

        def load(name)
          path = @dirs.map { |dir| File.join(dir, "#{name}.erb") }.find { |file| File.file?(file) }
          Tilt::ErubiTemplate.new(path, escape: true) do
            File.read(path, encoding: "UTF-8").gsub(INDENTATION, "")
          end
        end
      end
    end
  end
end
