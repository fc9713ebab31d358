# frozen_string_literal: true

module Holdup
  module View
    # Parts of a page besides its tables ({Section}). Each renderer lays them out: HTML with a template named
    # `view`, text and Markdown with a method each. Blocks with figures or sentences return a section as
    # `plain`, for a spreadsheet.
    module Blocks
      # The leading sentence. `level`: :plain, :good, :warn, :fail
      Lead = Data.define(:text, :level) do
        def initialize(text:, level: :plain) = super

        def view = "lead"
      end

      # Sentences. `warning`: whether they say why something may be wrong
      Notes = Data.define(:texts, :warning) do
        def initialize(texts:, warning: false) = super

        def view = "notes"
      end

      # The states of a split with share, sum and meaning. `rows`: Array of SplitRow; `brief`: whether a
      # terminal or browser shows a legend instead of the table
      Split = Data.define(:title, :bar, :columns, :rows, :brief) do
        def initialize(title:, bar:, columns:, rows:, brief: false)
          super
        end

        def view = "split"

        # @return [Section] whose first column has the symbols of View::Drawing::Bar
        def table
          *figures, meaning = columns
          section = plain.with(columns: [*figures, Column.new(text: meaning, words: true)])
          section.with_first_cells do |name, index|
            "#{View::Drawing::Bar::SYMBOLS.fetch(rows[index].state)} #{name}"
          end
        end

        def plain
          Section.new(title:, columns:, rows: rows.map { |row| row.to_h.except(:state).values })
        end
      end

      # `each`: time per unit, `sum`: of all units; both texts
      SplitRow = Data.define(:state, :name, :each, :share, :sum, :meaning)

      # @param row [Analysis::SeriesRow]
      # @return [Split] of all its units
      def Split.of(row, words)
        rows = row.split.members.map { |state| SplitRow.of(row, state, words) }
        columns = %i[state per_unit share sum meaning].map { |key| words.call(key) }
        texts = rows.to_h { |line| [line.state, "#{line.name} #{line.each}"] }
        new(title: words.call(:states), bar: Bar.of(row.split, words).with(texts:), columns:, rows:)
      end

      def SplitRow.of(row, state, words)
        ns = row.split.public_send(state)
        new(state:, name: words.call(:"state_#{state}"), each: Figures.duration(row.per_unit(ns)),
          share: Figures.share(row.split.share(state)), sum: Figures.duration(ns),
          meaning: words.call(:"meaning_#{state}"))
      end

      # `items`: Array of Advise::AdviceFindings::FindingText; `none`: the text if there are none; `hints`:
      # sentences about all of them
      Findings = Data.define(:title, :items, :none, :hints) do
        def initialize(title:, items:, none:, hints: [])
          super
        end

        def view = "findings"

        def plain
          texts = items.flat_map { |item| [item.what, *item.parts.map { |part| sentence(part) }] }
          Section.new(title:, columns: [], rows: [], notes: items.empty? ? [none] : texts)
        end

        private

        def sentence(part)
          "#{part.label}: #{[part.text, *part.diff].join(" ")}"
        end
      end

      # Commands to copy into a shell. `items`: Array of ShellCommand; `notes`: sentences under them
      Commands = Data.define(:title, :items, :notes) do
        def initialize(title:, items:, notes: [])
          super
        end

        def view = "commands"

        def plain
          texts = items.map { |item| "#{item.purpose}: #{item}" }
          Section.new(title:, columns: [], rows: [], notes: [*texts, *notes])
        end
      end

      # `words`: parts that stay in one line each, already quoted for a shell; `purpose`: what it shows, in a
      # few words
      ShellCommand = Data.define(:words, :purpose) do
        # @param command [String] "report --full", quoted
        # @param options [Hash{String => String}] more options with their values, which may be any text
        def self.holdup(command, purpose:, options: {})
          new(words: ["holdup #{command}"], purpose:).with_options(options)
        end

        # @return [String] one argument for a shell, which readers paste it into
        def self.quoted(text)
          text = Width.clean(text)
          text.match?(%r{\A[\w=:./@-]+\z}) ? text : "'#{text.gsub("'") { "'\\''" }}'"
        end

        # @param name [String] of requests or jobs
        # @return [String] a pattern for `--name` that matches it
        def self.pattern(name)
          name = Width.clean(name)
          start = Width.truncate(name, ShellCommand::NAME)[/\A[^…]*/]
          "#{start.gsub(/[\\*?\[\]{}]/, "?")}#{"*" if start != name}"
        end

        def with_options(options)
          more = options.map { |option, value| "#{option} #{self.class.quoted(value)}" }
          with(words: words + more)
        end

        def to_s = words.join(" ")
      end

      # Columns of a name in a command; a longer one matches by its beginning.
      ShellCommand::NAME = 48

      # `pairs`: {String => cell}
      Facts = Data.define(:title, :pairs) do
        def view = "facts"

        def plain
          Section.new(title:, columns: [], rows: [], notes: pairs.map { |name, cell| "#{name}: #{cell}" })
        end
      end

      # One thing to do first. `what`, `text`: the problem, and what to do; `links`: Array of Link, where to
      # look; `copy`: the same in Markdown, for others. A browser adds the address of the page
      Action = Data.define(:title, :what, :text, :links, :copy) do
        def view = "action"

        def plain = Section.new(title:, columns: [], rows: [], notes: [what, text])
      end

      # Blocks beside each other where a screen has room for it, else one after the other: `main`, which takes
      # most of the width, and `side`.
      Beside = Data.define(:main, :side) do
        def view = "beside"

        def inner = [*main, *side]
      end

      # Blocks that a browser shows when it is asked to. Other renderers show them anyway.
      Fold = Data.define(:title, :inner) do
        def view = "fold"
      end

      # @param blocks [Array<Object>]
      # @return [Array<Object>] those inside others too, in the order of reading
      def self.flat(blocks)
        blocks.flat_map { |block| block.respond_to?(:inner) ? flat(block.inner) : [block] }
      end

      # Results of the doctor's checks. `items`: Array of Check; `words`: the names of all levels
      Checks = Data.define(:title, :items, :words) do
        def view = "checks"

        def plain
          notes = items.map { |check| "#{check.word}: #{[check.text, check.remedy].compact.join(" ")}" }
          Section.new(title:, columns: [], rows: [], notes:)
        end
      end

      # `word`: name of the `level` (:ok, :warn, :fail); `remedy`: nil if there is nothing to do
      Check = Data.define(:level, :word, :text, :remedy)

      # Charts side by side whose series a script fetches, and a table with the same figures that needs no
      # script. `names`: {chart name => title}; `twin`: that Section; `part`: SpanLink, nil if the charts show
      # the whole span; `title`: nil if the charts say it; `stacked`: whether they stand one below the other,
      # so that the same moment is at the same place
      FetchedCharts = Data.define(:title, :names, :twin, :part, :stacked) do
        def initialize(title:, names:, twin:, part: nil, stacked: false)
          super
        end

        def view = "charts"

        def plain = twin.plain
      end

      # Charts inside the page itself, for figures that are slow to compute or not stored; a table of the page
      # has the same figures. `charts`: {title => Chart}; `notes`: sentences under them; `plotted`: the title
      # of the chart that is also drawn without a browser, or nil
      InlineCharts = Data.define(:charts, :notes, :plotted) do
        def initialize(charts:, notes: [], plotted: nil) = super

        def view = "inline_charts"
      end

      # Bars of states from one start on one time scale. `bars`: Array of TimeBar; `unit_ns`: the distance of
      # the scale's marks; `notes`: sentences under them
      TimeBars = Data.define(:title, :bars, :unit_ns, :notes)

      # `group`: of bars in sequence; `queued_ns`, `ended_ns`: since the scale's start; `split`: the states in
      # between
      TimeBar = Data.define(:group, :name, :queued_ns, :ended_ns, :split)

      # Links to the same page with another span or other parameters: `text` says why, `label` is the link's
      SpanLink = Data.define(:text, :label, :params) do
        def view = "span_link"
      end

      # `sort`: the value its link sorts by; `sorted`: "ascending", "descending" or nil; `words`: whether its
      # cells are sentences, which wrap; `optional`: whether a terminal leaves it out rather than cut names
      Column = Data.define(:text, :sort, :sorted, :words, :optional) do
        def initialize(text:, sort: nil, sorted: nil, words: false, optional: false)
          super
        end

        def to_s = text
      end

      # Links to another dashboard page with these parameters.
      Link = Data.define(:text, :page, :params) do
        def initialize(text:, page:, params: {}) = super

        def to_s = text.to_s
      end

      # Shares of elapsed time. `parts`: {Symbol => Float}; `label`: the same in words; `texts`: {Symbol =>
      # String}, what a browser writes on a part that is wide enough
      Bar = Data.define(:parts, :label, :texts) do
        def initialize(parts:, label:, texts: {}) = super

        def to_s = label

        # @return [String, nil] nil where there is no room
        def text_on(state)
          text = texts[state]
          text if text && parts.fetch(state) >= Bar::ROOM * Width.of(text)
        end

        # @return [Boolean] whether the label names that part
        def labelled?(state) = parts.fetch(state) >= Bar::LEAST_LABELLED
      end

      # The share that has room for a letter.
      Bar::ROOM = 0.0125
      # The label omits smaller shares, which are still drawn.
      Bar::LEAST_LABELLED = 0.005

      def Bar.of(split, words)
        parts = split.members.to_h { |state| [state, split.share(state)] }
        large = parts.select { |_, share| share >= Bar::LEAST_LABELLED }
        texts = large.map { |state, share| "#{words.call(:"state_#{state}")} #{View::Figures.share(share)}" }
        new(parts:, label: words.list(texts))
      end

      # A line over time without axes. `values`: for each step, nil where unknown; `label`: what it says in
      # words
      Sparkline = Data.define(:values, :label) do
        def to_s = label
      end

      Meter = Data.define(:share, :label) do
        def to_s = label
      end

      # A figure on a ground that is darker for a larger share, 0.0..1.0. The text says the figure, also where
      # there are no colours.
      Heat = Data.define(:text, :share) do
        def to_s = text

        # @return [Integer] 0 (no colour) to 5
        def step = Heat::STEPS.count { |least| share >= least }
      end

      # The least share of each step.
      Heat::STEPS = [0.02, 0.1, 0.25, 0.5, 0.75].freeze

      # `seconds`: whether to show seconds, to find the moment in a log
      Moment = Data.define(:at_s, :seconds) do
        def initialize(at_s:, seconds: false) = super

        # @param step_s [Integer] for how long
        # @param params [Hash{String => String}] in addition to the span
        # @return [Link] to the requests and jobs of that time
        def self.step(at_s, step_s, params)
          since, till = [at_s, at_s + step_s].map { |second| new(at_s: second).exact }
          Link.new(text: new(at_s:), page: "slowest", params: {**params, "since" => since, "until" => till})
        end

        # @return [String] for programs
        def exact = Time.at(at_s).utc.strftime("%FT%TZ")

        # @return [String] in the server's zone; a script converts it to the viewer's
        def to_s
          Time.at(at_s).strftime(seconds ? "%F %T" : "%F %H:%M")
        end
      end
    end
  end
end
