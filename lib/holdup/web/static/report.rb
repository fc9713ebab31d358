# frozen_string_literal: true

module Holdup
  class Web
    module Static
      # The dashboard's pages about a span of time as one file, with those of the units that one would open
      # first.
      class Report
        # In this order. Others ask for more than a span, or are about this moment.
        PAGES = %w[overview endpoints jobs blame processes jit].freeze
        # Pages of one kind of units.
        KINDS = {"endpoints" => :request, "jobs" => :job}.freeze
        # So many that stalled most, and that caused most stall.
        UNITS = 5
        # A larger file is sent by no mail.
        MOST_BYTES = 1_000_000

        # @param store [Store::Sql]
        # @param asked [Asked]
        # @param language [String]
        # @param told [Array<String>] remarks that are no page's
        # @param most_bytes [Integer] beyond which it has no charts of single units
        def initialize(store, asked:, language:, told: [], most_bytes: MOST_BYTES)
          @store = RequestCache.new(store)
          @asked = asked
          @words = View::Words.new(language)
          @told = told
          @most_bytes = most_bytes
        end

        # @return [String] HTML
        def call
          whole = document(units)
          (whole.bytesize > @most_bytes) ? document(units.map { |part| part.with(charts: {}) }) : whole
        end

        private

        def document(units)
          Document.new([*pages, *units], title: word(:title), about: [headline.span, *filtered],
            words: @words).call
        end

        def word(key, **facts) = @words.call(key, **facts)

        def summary
          @summary ||= Queries::LoadSummary.call(@store, from_s: @asked.from_s, to_s: @asked.until_s,
            filter: @asked.filter)
        end

        def headline
          View::Headline.new(summary, words: @words)
        end

        def filtered
          chosen = {span_app: @asked["app"], span_kind: @asked.kind && word(:"kind_#{@asked.kind}"),
                    span_name: @asked.chosen.name, queue: @asked.chosen.queue, threads: @asked.threads}.compact
          chosen.empty? ? [] : [chosen.map { |key, value| "#{word(key)}: #{View::Width.clean(value)}" }.join(", ")]
        end

        def pages
          @pages ||= shown.map do |name|
            page = page(name, @asked)
            verdict, *rest = page.blocks
            Part.new(id: name, title: word(:"title_#{name}"), blocks: [verdict, *remarks(name), *rest],
              charts: page.charts)
          end
        end

        def shown
          return PAGES.first(1) if summary.empty?
          kinds = summary.rows.map(&:kind)
          PAGES.reject { |name| KINDS.key?(name) && !kinds.include?(KINDS[name]) }
        end

        def remarks(name)
          (name == PAGES.first && @told.any?) ? [Blocks::Notes.new(texts: @told)] : []
        end

        def page(name, asked)
          Pages::ALL.fetch(name).new(context: nil, store: @store, query: asked, words: @words)
        end

        def units
          rows = summary.rows.select { |row| KINDS.value?(row.kind) }
          @units ||= (rows.max_by(UNITS,
            &:stalled_ns) | rows.max_by(UNITS, &:caused_ns)).each_with_index.map { |row, index|
            unit(row, index + 1)
          }
        end

        def unit(row, number)
          params = {"unit" => row.name, "kind" => row.kind.to_s, "in" => row.queue}.compact
          page = page("endpoint", @asked.with(chosen: @asked.filter(kind: row.kind), params:))
          Part.new(id: "unit-#{number}", title: page.title, blocks: page.blocks, charts: page.charts,
            listed: false, page: "endpoint", params:)
        end
      end
    end
  end
end
