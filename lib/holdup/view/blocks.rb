# frozen_string_literal: true

module Holdup
  module View
    # What a page is made of besides its tables ({Section}). Each block has a template of its name (`view`)
    # for HTML; those that say something without a browser have it as a section too (`plain`).
    module Blocks
      # The one sentence. `level`: :plain, :good, :warn
      Lead = Data.define(:text, :level) do
        def initialize(text:, level: :plain) = super

        def view = "lead"
      end

      # Sentences, in their order.
      Notes = Data.define(:texts) do
        def view = "notes"
      end

      # The states of a split with their share, sum and meaning. `rows`: Array of SplitRow
      Split = Data.define(:title, :bar, :columns, :rows) do
        def view = "split"

        # @return [Section]
        def plain
          Section.new(title:, columns:, rows: rows.map { |row| row.to_h.except(:state).values })
        end
      end

      # `each`: of a unit, `sum`: of all; texts
      SplitRow = Data.define(:state, :name, :share, :each, :sum, :meaning)

      # `items`: Array of AdviceFindings::Told; `none`: what is said where there are none
      Findings = Data.define(:title, :items, :none) do
        def view = "findings"

        # @return [Section] of sentences
        def plain
          texts = items.flat_map { |item| [item.what, *item.parts.map { |part| sentence(part) }] }
          Section.new(title:, columns: [], rows: [], notes: items.empty? ? [none] : texts)
        end

        private

        def sentence(part)
          "#{part.label}: #{[part.text, *part.diff].join(" ")}"
        end
      end

      # Facts with their names: `pairs`: {String => cell}
      Facts = Data.define(:title, :pairs) do
        def view = "facts"

        # @return [Section] of sentences
        def plain
          Section.new(title:, columns: [], rows: [], notes: pairs.map { |name, cell| "#{name}: #{cell}" })
        end
      end

      # What checks of the doctor say. `items`: Array of Check
      Checks = Data.define(:title, :items) do
        def view = "checks"

        # @return [Section] of sentences
        def plain
          notes = items.map { |check| "#{check.word}: #{[check.text, check.remedy].compact.join(" ")}" }
          Section.new(title:, columns: [], rows: [], notes:)
        end
      end

      # `level`: :ok, :warn, :fail; `word`: how it is called; `remedy`: nil where nothing is to be done
      Check = Data.define(:level, :word, :text, :remedy)

      # Charts beside each other whose series a script fetches, and the table with the same figures, which is
      # there for everybody. `names`: {String => String}, of a chart of this page and its title; `twin`:
      # Section; `part`: SpanLink, nil where they show the whole span
      FetchedCharts = Data.define(:title, :names, :twin, :part) do
        def initialize(title:, names:, twin:, part: nil)
          super
        end

        def view = "charts"

        # @return [Section]
        def plain = twin.plain
      end

      # Charts that are in the page itself, because it takes long to find their figures or nobody stores them;
      # a table of the page has the same figures. `charts`: title => Chart; `notes`: sentences under them
      InlineCharts = Data.define(:charts, :notes) do
        def initialize(charts:, notes: []) = super

        def view = "inline_charts"
      end

      # The same page over another span, or with other words: `text` says why, `label` is the link's
      SpanLink = Data.define(:text, :label, :params) do
        def view = "span_link"
      end

      # `sort`: what its link asks for; `sorted`: "ascending", "descending" or nil; `words`: whether its cells
      # are sentences, that wrap
      Column = Data.define(:text, :sort, :sorted, :words) do
        def initialize(text:, sort: nil, sorted: nil, words: false)
          super
        end

        def to_s = text
      end

      # To another page of ours with these words in its address.
      Link = Data.define(:text, :page, :params) do
        def initialize(text:, page:, params: {}) = super

        def to_s = text.to_s
      end

      # Shares of elapsed time; `parts`: {Symbol => Float}; `label`: the same in words
      Bar = Data.define(:parts, :label) do
        def to_s = label
      end

      # Shares below this are drawn and not told.
      Bar::TOLD = 0.005

      # @param split [Analysis::SeriesRow::StateSplit]
      # @param words [Words]
      # @return [Bar]
      def Bar.of(split, words)
        parts = split.members.to_h { |state| [state, split.share(state)] }
        large = parts.select { |_, share| share >= Bar::TOLD }
        told = large.map { |state, share| "#{words.call(:"state_#{state}")} #{View::Figures.share(share)}" }
        new(parts:, label: words.list(told))
      end

      # One share of a whole.
      Meter = Data.define(:share, :label) do
        def to_s = label
      end

      # A moment. `seconds`: to the second, to find it in a log
      Moment = Data.define(:at_s, :seconds) do
        def initialize(at_s:, seconds: false) = super

        # @return [String] for programs
        def exact = Time.at(at_s).utc.strftime("%FT%TZ")

        # @return [String] in the server's zone; a script tells it in the viewer's
        def to_s
          Time.at(at_s).strftime(seconds ? "%F %T" : "%F %H:%M")
        end
      end
    end
  end
end
