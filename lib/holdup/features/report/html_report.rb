# frozen_string_literal: true

module Holdup
  module Report
    # The dashboard's pages about a span of time as one HTML file, with the pages of the most relevant
    # endpoints and jobs.
    class HtmlReport
      # Pages in the order of the report. Other pages need more than a span, or show the present moment.
      PAGES = {"overview" => OverviewPage, "requests" => UnitPages::Requests,
               "jobs" => UnitPages::Jobs, "blame" => BlamePage, "processes" => ProcessesPage,
               "jit" => JitReport::Page}.freeze
      # Pages of one kind of units.
      KINDS = {"requests" => :request, "jobs" => :job}.freeze
      # How many pages of units that stalled most, and of those that caused most stall.
      UNITS = 5
      # Mail servers reject larger files.
      MOST_BYTES = 1_000_000

      # The question a file answers; has the interface of the dashboard's PageQuery.
      #
      # - `from_s`, `until_s`: seconds since 1970; `chosen`: Analysis::UnitFilter; `limit`: rows of a table
      # - `params`: {String => String} further parameters of a page
      Query = Data.define(:from_s, :until_s, :chosen, :limit, :params) do
        def initialize(from_s:, until_s:, chosen:, limit:, params: {})
          super
        end

        def [](name) = params[name]

        def kind = chosen.kind

        def threads = chosen.threads

        def least = 1

        # @return [Boolean] whether the span is still growing
        def live? = false

        # @param overriding [Hash] filters that the page sets itself
        def filter(**overriding) = chosen.with(**overriding)
      end

      # @param remarks [Array<String>] that belong to no page
      # @param most_bytes [Integer] limit beyond which charts of single units are left out
      def initialize(store, query:, words:, remarks: [], most_bytes: MOST_BYTES)
        @store = Queries::RequestCache.new(store)
        @query = query
        @words = words
        @remarks = remarks
        @most_bytes = most_bytes
      end

      # @return [String] HTML
      def call
        whole = document(units)
        (whole.bytesize > @most_bytes) ? document(units.map { |part| part.with(charts: {}) }) : whole
      end

      private

      def document(units)
        about = [headline.span, *filtered]
        View::Html.new([*pages, *units], title: word(:title), about:, words: @words).call
      end

      def word(key, **facts) = @words.call(key, **facts)

      def summary
        @summary ||= Queries::LoadSummary.call(@store, from_s: @query.from_s, to_s: @query.until_s,
          filter: @query.filter) { [] }
      end

      def headline
        View::Headline.new(summary, words: @words)
      end

      def filtered
        chosen = {**origin, span_kind: @query.kind && word(:"kind_#{@query.kind}"),
                  span_name: @query.chosen.name, queue: @query.chosen.queue,
                  threads: @query.threads}.compact
        return [] if chosen.empty?
        [@words.list(chosen.map { |key, value| @words.labelled(word(key), View::Width.clean(value)) })]
      end

      def origin
        Queries::Origin.members.to_h { |part| [:"span_#{part}", @query[part.name]] }
      end

      def pages
        @pages ||= shown.map do |name|
          page = page(PAGES.fetch(name), @query)
          lead, *rest = View::Blocks.flat(page.blocks)
          blocks = [lead, *remarks(name), *rest]
          View::Html::Part.new(id: name, title: word(:"title_#{name}"), blocks:, charts: page.charts)
        end
      end

      def shown
        return PAGES.keys.first(1) if summary.empty?
        kinds = summary.rows.map(&:kind)
        PAGES.keys.reject { |name| KINDS.key?(name) && !kinds.include?(KINDS[name]) }
      end

      def remarks(name)
        (name == PAGES.keys.first && @remarks.any?) ? [View::Blocks::Notes.new(texts: @remarks)] : []
      end

      def page(kind, query)
        kind.new(context: nil, store: @store, query:, words: @words)
      end

      def units
        @units ||= notable.each.with_index(1).map { |row, number| unit(row, number) }
      end

      def notable
        rows = summary.rows.select { |row| KINDS.value?(row.kind) }
        rows.max_by(UNITS, &:stalled_ns) | rows.max_by(UNITS, &:caused_ns)
      end

      def unit(row, number)
        params = {"unit" => row.name, "kind" => row.kind.to_s, "in" => row.queue}.compact
        page = page(UnitPage, @query.with(chosen: @query.filter(kind: row.kind), params:))
        View::Html::Part.new(id: "unit-#{number}", title: page.title, blocks: page.blocks,
          charts: page.charts,
          listed: false, page: "endpoint", params:)
      end
    end
  end
end
