# frozen_string_literal: true

module Holdup
  module View
    module Pages
      # What pages share: the store, the question, words. A page has blocks, and perhaps files of the same
      # figures. It is shown in a browser by the dashboard, and is a part of an HTML report.
      class Base
        # A longer name has no address of its own.
        LONGEST_NAME = 1000

        # @param context [Object] what the dashboard answers from; nil in a report
        # @param store [Queries::RequestCache]
        # @param query [#from_s, #until_s, #filter, #limit, #[]] what is asked for
        # @param words [Words]
        def initialize(context:, store:, query:, words:)
          @context = context
          @store = store
          @query = query
          @words = words
        end

        # @return [Array<Object>] of Blocks, and sections
        def blocks = []

        # @return [Hash{String => Chart}] by the names that its blocks have for them
        def charts = {}

        # @return [Array<String>] endings that it can be had with
        def exports = %w[json csv md]

        # @return [Array<String>] of these, those that it has links for
        def offered = exports

        # @param ending [String] one of exports
        # @param title [String]
        # @return [String]
        # @raise [UsageError] for a filter that nothing matches
        def export(ending, title)
          refuse_unmatched
          return json if ending == "json"
          page = Page.of(span? ? "#{title}, #{query.span}" : title, blocks)
          (ending == "csv") ? Csv.of(page) : PageMarkdown.new(page).call
        end

        # @return [Boolean] whether it is about a span of time
        def span? = true

        # @return [Boolean] whether it refreshes itself
        def live? = false

        # @return [Array<String>] what one may choose beside the span
        def asks = %w[name kind]

        # @return [String, nil] nil: that of the menu
        def title = nil

        private

        attr_reader :query, :store

        def word(key, **facts) = @words.call(key, **facts)

        # Which units.
        def filter = query.filter

        # For programs: the report that the page shows parts of.
        def json
          Json.new(summary, words: @words, marks:).call
        end

        # For programs, which read no sentence.
        def refuse_unmatched
          chosen = span? && %w[name kind queue threads].any? { |name| query[name] }
          raise unmatched.error if chosen && unmatched
        end

        def summary = @summary ||= read

        def read(filter: query.filter, **view)
          Queries::LoadSummary.call(store, from_s: query.from_s, to_s: query.until_s, filter:, **view)
        end

        # @return [Array<Analysis::SettingChanges::SettingChange>] when the setting of what runs changed
        def marks
          @marks ||= Queries::SettingHistory.changes(store, from_s: query.from_s, to_s: query.until_s)
        end

        # @param kind [Class] of Sections
        # @return [Section, nil]
        def section(kind, limit: query.limit)
          kind.new(summary, words: @words, limit:).call
        end

        # What rules find in the page's summary. Those that need no replay: the page of advice has all.
        # @param rules [Array<#call>] see Holdup::Advice
        # @return [Blocks::Findings]
        def findings(title, rules = Holdup::Advice::RULES)
          found = Holdup::Advice.call(Holdup::Advice::Situation.new(summary:), rules)
          items = AdviceFindings.new(found, words: @words).to_a
          Blocks::Findings.new(title:, items:, none: word(:advice_no_findings))
        end

        # Where no unit was measured: what to do next.
        def nothing
          return unmatched_filter if unmatched
          [Blocks::Lead.new(text: headline.verdict), *last_data,
            Blocks::Notes.new(texts: [word(:empty_next)])]
        end

        # A link to the last recording, whether it was before the span or after it.
        def last_data
          newest_s = store.health[:newest_s] or return []
          units = Queries::RecordedInterval::ChartedSpan.new(store, filter:, units: true)
          from_s, to_s = units.last([query.until_s, newest_s + 1].max)
          return [] unless from_s
          since, till = [from_s, to_s].map { |second| Time.at(second).utc.strftime("%FT%TZ") }
          text = word(:last_data, span: Moments.span(from_s, to_s))
          [Blocks::SpanLink.new(text:, label: word(:last_data_open),
            params: {"since" => since, "until" => till})]
        end

        # What charts over time show of the span: the part that has data, or all of it where it is asked for.
        def shown
          @shown ||= query["whole"] ? [query.from_s, query.until_s] : with_data
        end

        def with_data
          filter = Analysis::UnitFilter.new(threads: query.threads)
          @with_data ||= Queries::RecordedInterval::ChartedSpan.new(store, filter:).shown(query.from_s, query.until_s)
        end

        # @return [Blocks::SpanLink, nil] to the rest of the span, or back; nil where there is no rest
        def part
          return if with_data == [query.from_s, query.until_s]
          span = Moments.span(*with_data)
          key, whole = query["whole"] ? [:chart_whole, nil] : [:chart_part, "yes"]
          Blocks::SpanLink.new(text: word(key, span:), label: word(:"#{key}_link"),
            params: {"whole" => whole})
        end

        # What the filter asks for that this span has not, and what it has instead.
        def unmatched_filter
          names = unmatched.shown.map { |value| unmatched_value(value) }.join(", ")
          # A name is looked for anywhere in the names: shown is what was typed.
          asked = (unmatched.part == :name) ? query["name"] || unmatched.asked : unmatched.asked
          facts = {asked: unmatched_value(asked), names:}
          instead = unmatched.nearest.any? ? :unmatched_nearest : :unmatched_known
          lead = Blocks::Lead.new(text: word(:"unmatched_#{unmatched.part}", **facts))
          unmatched.known.empty? ? [lead] : [lead, Blocks::Notes.new(texts: [word(instead, **facts)])]
        end

        def unmatched_value(value)
          (unmatched.part == :kind) ? word(:"kind_#{value}") : Width.clean(value)
        end

        # @return [Queries::UnmatchedFilter, nil] where units were measured, and the filter leaves none of
        #   them
        def unmatched
          return @unmatched if defined?(@unmatched)
          @unmatched = Queries::UnmatchedFilter.of(store, query.from_s, query.until_s, filter)
        end

        def headline
          Headline.new(summary, words: @words)
        end

        # What would not fit into an address has no page of its own.
        def unit_link(row)
          return label(row) if row.name.size > LONGEST_NAME
          Blocks::Link.new(text: label(row), page: "endpoint",
            params: {"unit" => row.name, "kind" => row.kind.to_s, "in" => row.queue}.compact)
        end

        def label(row)
          Width.clean(row.queue ? "#{row.name} [#{row.queue}]" : row.name)
        end
      end
    end
  end
end
