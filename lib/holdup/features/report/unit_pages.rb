# frozen_string_literal: true

module Holdup
  module Report
    # The pages of endpoints and of jobs, and the table of units that they share with the overview.
    module UnitPages
      # A figure of endpoints and jobs. `read`: (row, summary) => number or nil; `tell`: the View::Figures
      # method that formats it; `word`: its title; `csv`: its name in a file, with the unit.
      Figure = Data.define(:word, :csv, :tell, :read) do
        def initialize(word:, csv:, read:, tell: :duration)
          super
        end

        # @param key [Symbol] of Window::HISTOGRAMS
        def self.quantile(word, csv, key, at)
          new(word:, csv:, read: ->(row, _) { row.histogram(key).quantile(at) })
        end

        def of(row, summary) = read.call(row, summary)
      end

      FIGURES = {
        count: Figure.new(word: :units, csv: "count", tell: :short_count, read: ->(row, _) { row.count }),
        rate: Figure.new(word: :rate_column, csv: "per_second", tell: :rate,
          read: ->(row, summary) { summary.row_rate(row) }),
        wall: Figure.new(word: :of_time, csv: "wall_share", tell: :share,
          read: ->(row, summary) { row.wall_ns.fdiv([summary.total.wall_ns, 1].max) }),
        p50: Figure.quantile(:p50, "wall_p50_ns", :wall, 0.5),
        p95: Figure.quantile(:p95, "wall_p95_ns", :wall, 0.95),
        p99: Figure.quantile(:p99, "wall_p99_ns", :wall, 0.99),
        suffered: Figure.new(word: :suffered, csv: "stalled_ns", read: ->(row, _) { row.stalled_ns }),
        caused: Figure.new(word: :caused, csv: "caused_ns", read: ->(row, _) { row.caused_ns }),
        each: Figure.new(word: :stall_per_unit, csv: "stalled_mean_ns",
          read: ->(row, _) { row.per_unit(row.stalled_ns) }),
        objects: Figure.new(word: :memory_objects, csv: "objects_mean", tell: :short_count,
          read: ->(row, summary) { summary.allocations.objects_each(row)&.nonzero? }),
        bytes: Figure.new(word: :memory_bytes, csv: "allocated_bytes_mean", tell: :bytes,
          read: ->(row, summary) { summary.allocations.bytes_each(row)&.round&.nonzero? }),
        gc_caused: Figure.new(word: :memory_gc_caused, csv: "gc_caused_mean_ns",
          read: ->(row, summary) { summary.allocations.gc_caused_ns(row)&.then { |ns| row.per_unit(ns) } }),
        acquisitions: Figure.new(word: :acquisitions_each, csv: "acquisitions_mean", tell: :rate,
          read: ->(row, _) { row.per_unit(row.sum(:acquisitions)) }),
        acquisition: Figure.new(word: :stall_per_acquisition, csv: "stalled_per_acquisition_ns",
          read: ->(row, _) { row.stall_per_acquisition }),
        hold: Figure.new(word: :hold_max, csv: "longest_hold_max_ns",
          read: ->(row, _) { row.histogram(:longest_hold).max }),
        queued: Figure.quantile(:queued_p95, "queued_p95_ns", :queued, 0.95),
        errors: Figure.new(word: :errors, csv: "errors", tell: :short_count,
          read: ->(row, _) { row.errors })
      }.freeze

      # All endpoints, or all jobs, sorted as requested.
      class UnitsPage < View::PageBase
        SORT = "suffered"
        ROUNDED = 6
        # Rows, unless more are asked for. From so many on, there is a field to search by name.
        STRONGEST = 20

        def blocks
          return nothing if summary.empty?
          table = Table.new(summary, words: @words, link: method(:unit_link))
          [View::Blocks::Notes.new(texts: headline.figures), *search,
            table.call(sorted.first(most), title: word(:each_of_them), order:, rest: sorted.drop(most),
              notes: [*more, word(:units_note)]),
            *memory].compact
        end

        def asks = %w[name least]

        # @return [String] CSV with all figures of all units, in nanoseconds
        def export(ending, title)
          refuse_unmatched
          (ending == "csv") ? csv : super
        end

        private

        def filter = query.filter(kind: self.class::KIND)

        # Rates need the coverage.
        def parts(summary)
          return [] if summary.empty?
          growth = Sections::MemoryTable.answer_parts(summary) if growth?
          [:coverage, *Table::PARTS, *growth]
        end

        # @yield see Queries::LoadSummary.call
        def read(&)
          Queries::LoadSummary.call(store, from_s: query.from_s, to_s: query.until_s, filter:,
            growth: growth?, &)
        end

        # What makes processes grow takes the counts of each step, of spans for which there are samples.
        def growth? = query.until_s - query.from_s <= Analysis::ProcessReport::KEPT_S

        # @return [Array<Object>] the table of memory, and before it what makes the processes grow
        def memory
          part = Sections::MemoryTable.new(summary, words: @words, limit: query.limit)
          table = part.call or return []
          said = growth? ? [*part.growth_sentences, *part.large_peak] : []
          said.empty? ? [table] : [View::Blocks::Notes.new(texts: said), table]
        end

        def order
          @order ||= Order.new(query["sort"] || SORT, query["dir"])
        end

        def sorted = @sorted ||= order.call(listed, summary)

        def listed
          summary.rows.select { |row| row.count >= query.least }
        end

        def more
          hidden = sorted.size - most
          hidden.positive? ? [word(:more_rows_here, count: View::Figures.count(hidden))] : []
        end

        def most = query["limit"] ? query.limit : STRONGEST

        # Its field is that of the filter, in view: without scripts too.
        def search
          return [] if sorted.size <= STRONGEST && query["name"].nil?
          field = Web::Pages::Controls::Field.new(name: "name", label: word(:span_name),
            value: query["name"], hint: "Orders*")
          [Web::Pages::Controls::Form.new(title: word(:units_search), page: self.class::PAGE, fields: [field],
            button: word(:show))]
        end

        # The rates need the coverage; what makes processes grow is not in it.
        def csv
          @summary ||= read { |known| known.empty? ? [] : [:coverage] }
          head = ["name", "kind", "queue", *FIGURES.values.map(&:csv)]
          View::Csv.call([head, *sorted.map { |row| [row.name, row.kind.to_s, row.queue, *numbers(row)] }])
        end

        def numbers(row)
          FIGURES.values.map do |figure|
            value = figure.of(row, summary)
            value.is_a?(Float) ? value.round(ROUNDED) : value
          end
        end
      end

      class Requests < UnitsPage
        KIND = :request
        PAGE = "requests"
      end

      class Jobs < UnitsPage
        KIND = :job
        PAGE = "jobs"
      end

      # The figure that units are sorted by, and the direction.
      class Order
        DIRECTIONS = {"asc" => "ascending", "desc" => "descending"}.freeze
        KNOWN = ["name", *FIGURES.keys.map(&:to_s)].freeze

        # @param figure [String] one of KNOWN
        # @param direction [String, nil] a key of DIRECTIONS; nil: the largest first
        # @raise [UsageError]
        def initialize(figure, direction)
          @figure = figure
          @direction = direction || "desc"
          Queries::OptionValues.choice("sort", figure, KNOWN)
          return if DIRECTIONS.key?(@direction)
          raise View::InputError.new(:invalid_value, :takes_direction, option: "dir",
            value: direction.inspect)
        end

        def call(rows, summary)
          ascending = rows.sort_by { |row| [value(row, summary), row.name] }
          (@direction == "asc") ? ascending : ascending.reverse
        end

        # @return [View::Blocks::Column] whose link sorts by it
        def column(figure, text)
          sorted = DIRECTIONS[@direction] if figure.to_s == @figure
          direction = (sorted == "descending") ? "asc" : "desc"
          View::Blocks::Column.new(text:, sort: {"sort" => figure.to_s, "dir" => direction}, sorted:)
        end

        private

        def value(row, summary)
          (@figure == "name") ? row.name : FIGURES.fetch(@figure.to_sym).of(row, summary) || -1
        end
      end

      class Table
        # Of the summary.
        PARTS = View::MainWait::PARTS
        # Stall comes first: a phone shows three columns.
        FIRST = %i[suffered caused].freeze
        # A laptop has no room for these; they have a table of their own.
        MEMORY = %i[objects bytes gc_caused].freeze
        COLUMNS = [:name, *FIRST, :split, *(FIGURES.keys - FIRST - MEMORY)].freeze
        TITLES = {name: :by_name, split: :states}.freeze

        # @param link [#call] row => the cell of its name
        def initialize(summary, words:, link:)
          @summary = summary
          @words = words
          @link = link
          @waits = View::MainWait.new(summary, words:, link:)
        end

        # @param columns [Array<Symbol>] of COLUMNS
        # @param order [Order, nil] if given, the columns are sortable
        # @param rest [Array<Analysis::SeriesRow>] the other ones, which share the last row
        def call(rows, title:, columns: COLUMNS, order: nil, rest: [], notes: [])
          total = cells(columns, together(rest)) if rest.any?
          View::Section.new(title:, columns: columns.map { |name| column(name, order) },
            rows: rows.map { |row| cells(columns, row) }, total:, notes:,
            details: rows.map { |row| @waits.remark(row) })
        end

        private

        def cells(columns, row) = columns.map { |name| cell(name, row) }

        def together(rows)
          series = rows.first.window.series
          window = Window.sum(rows.map { |row| row.window.with(series:) })
          name = @words.call(:units_others, count: View::Figures.count(rows.size))
          Analysis::SeriesRow.new(name:, kind: nil, queue: nil, window:, entries: rows.flat_map(&:entries),
            nested: rows.flat_map(&:nested))
        end

        def column(name, order)
          text = @words.call(TITLES.fetch(name) { FIGURES[name].word })
          (order.nil? || name == :split) ? text : order.column(name, text)
        end

        def cell(name, row)
          case name
          when :name then row.kind ? @link.call(row) : row.name
          when :split then View::Blocks::Bar.of(row.split, @words)
          else View::Figures.public_send(FIGURES[name].tell, FIGURES[name].of(row, @summary))
          end
        end
      end
    end
  end
end
