# frozen_string_literal: true

module Holdup
  class Web
    # What a page is made of, before it is laid out. Each has a template of its name; what needs a script for
    # drawing has its figures in a table as well.
    module Blocks
      # @param page [View::Page]
      # @return [Array<Object>] its sentence, what is said of it, its tables
      def self.of(page)
        [Lead.new(text: page.lead), Notes.new(texts: [*page.facts, *page.remarks].compact),
          *page.sections.map { |section| Table.of(section) }]
      end

      # With so many columns a table fits beside another one on wide screens only, or not at all.
      BROAD = 8
      FULL = 10

      # The one sentence. `level`: :plain, :good, :warn
      Lead = Data.define(:text, :level) do
        def initialize(text:, level: :plain) = super

        def view = "lead"
      end

      # Sentences, in their order.
      Notes = Data.define(:texts) do
        def view = "notes"
      end

      # - `columns`: Array of Column; `rows`: Array of Arrays of cells: String, Link, Bar, Meter; `total`: one
      #   more row or nil
      # - `notes`: sentences under it; `more`: Link to other rows, or nil
      Table = Data.define(:title, :columns, :rows, :total, :notes, :more) do
        def initialize(title:, columns:, rows:, total: nil, notes: [], more: nil)
          super
        end

        # @param section [View::Section, nil]
        # @yield [String] the first cell of a row, and its number, for a Link in its place
        # @return [Table, nil]
        def self.of(section, notes: section&.notes)
          return unless section
          rows = section.rows.each_with_index.map { |row, index|
            block_given? ? [yield(row.first, index), *row.drop(1)] : row
          }
          new(title: section.title, columns: section.columns.map { |text| Column.new(text:) }, rows:,
            total: section.total, notes:)
        end

        def view = "table"

        # @return [String, nil] the class of one that may need a page's whole width
        def extent
          {FULL.. => "full", BROAD.. => "broad"}.find { |sizes, _| sizes.cover?(columns.size) }&.last
        end

        # @param index [Integer] of a column; the first always begins at the left
        # @return [String, nil] the class of one whose cells are words, which begin at the left; nil for
        #   figures, whose digits stand under each other
        def alignment(index)
          return "words" if columns[index].words
          "text" if index.positive? && rows.any? { |row| !Figure.match?(row[index]) }
        end

        # @return [Array<Symbol>, nil] what its bars show, for a legend
        def states
          rows.first&.grep(Bar)&.first&.parts&.keys
        end
      end

      # Whether a cell is a number with its unit, such as "12.3 ms", "-1.2..+3.4 %", "2 x 5" or "-".
      module Figure
        UNITS = /(?<![a-zA-Z])(?:ns|us|ms|s|min|h|d|B|kB|MB|GB|M|G|x)(?![a-zA-Z])/
        LETTER = /\p{L}/

        # @param cell [Object]
        # @return [Boolean]
        def self.match?(cell)
          cell.nil? || (cell.is_a?(String) && !LETTER.match?(cell.gsub(UNITS, "")))
        end
      end

      # `sort`: what its link asks for; `sorted`: "ascending", "descending" or nil; `words`: whether its cells
      # are sentences, that wrap
      Column = Data.define(:text, :sort, :sorted, :words) do
        def initialize(text:, sort: nil, sorted: nil, words: false)
          super
        end
      end

      # To another page of ours with these words in its address.
      Link = Data.define(:text, :page, :params) do
        def initialize(text:, page:, params: {}) = super
      end

      # Shares of elapsed time; `parts`: {Symbol => Float}
      Bar = Data.define(:parts, :label)

      # One share of a whole.
      Meter = Data.define(:share, :label)

      # The states of a split with their share, sum and meaning.
      Split = Data.define(:title, :bar, :rows) do
        def view = "split"
      end

      # `items`: Array of View::AdviceFindings::Told
      Findings = Data.define(:title, :items, :none) do
        def view = "findings"
      end

      # Facts with their names: `pairs`: {String => cell}
      Facts = Data.define(:title, :pairs) do
        def view = "facts"
      end

      # What a check of the doctor says. `items`: Array of [level, word, text, remedy or nil]
      Checks = Data.define(:title, :items) do
        def view = "checks"
      end

      # `fields`: Array of Field; `page`: where it goes
      Form = Data.define(:title, :page, :fields, :button) do
        def view = "form"
      end

      # `options`: {value => text} to choose from; nil: anything can be written. `slider`: Slider, nil for
      # none
      Field = Data.define(:name, :label, :value, :hint, :options, :slider) do
        def initialize(name:, label:, value: nil, hint: nil, options: nil, slider: nil)
          super
        end
      end

      # `range` of numbers before `unit`; moving one of a `group` takes the place of the other groups.
      Slider = Data.define(:range, :unit, :group)

      # The same page over another span, or with other words: `text` says why, `label` is the link's
      SpanLink = Data.define(:text, :label, :params) do
        def view = "span_link"
      end

      # What is said while a page is computed. `share`: of it that is done, nil when unknown; `again_s`: when
      # to ask again
      Wait = Data.define(:lead, :step, :times, :share, :again_s) do
        def view = "wait"
      end

      # Links to pages; `title` nil where none is needed
      Links = Data.define(:title, :links) do
        def view = "links"
      end
    end
  end
end
