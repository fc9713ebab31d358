# frozen_string_literal: true

module Holdup
  module View
    # Base class of pages. A page has blocks, and possibly files of the same figures. The dashboard shows it
    # in a browser, and an HTML report includes it.
    class PageBase
      # Longer names get no page of their own.
      LONGEST_NAME = 1000

      # @param context [Object] the dashboard's context; nil in a report
      # @param query [#from_s, #until_s, #filter, #limit, #[]] the question
      def initialize(context:, store:, query:, words:)
        @context = context
        @store = store
        @query = query
        @words = words
      end

      # @return [Array<Object>] Blocks and sections
      def blocks = []

      # @return [Hash{String => Chart}] by the names that its blocks use
      def charts = {}

      # @return [Array<String>] file endings it can be exported as
      def exports = %w[json csv md]

      # @return [Array<String>] those of them that it links to
      def offered = exports

      # @param ending [String] one of exports
      # @raise [UsageError] for a filter that nothing matches
      def export(ending, title)
        refuse_unmatched
        return json if ending == "json"
        page = Page.new(title: span? ? "#{title}, #{query.span}" : title, blocks:)
        (ending == "csv") ? Csv.of(page) : Markdown.new(page).call
      end

      # @return [Boolean] whether it is about a span of time
      def span? = true

      # Whether its frame is sent before it is read, for pages that take long. Its title depends on no data.
      def self.streamed? = false

      # @return [Boolean] whether it refreshes itself
      def live? = false

      # @return [Array<String>] parameters the reader can choose besides the span
      def asks = %w[name kind]

      # @return [String, nil] nil: the menu's title
      def title = nil

      private

      attr_reader :query, :store

      def word(key, **facts) = @words.call(key, **facts)

      def filter = query.filter

      # For programs: the whole report that the page shows parts of.
      def json
        Json.new(read { |known| Json.parts(known) }, words: @words, marks:).call
      end

      # For programs, which do not read sentences.
      def refuse_unmatched
        chosen = span? && %w[name kind queue threads].any? { |name| query[name] }
        raise unmatched.error if chosen && unmatched
      end

      # @param _summary [Analysis::Summary] with what was read so far
      # @return [Array<Symbol>] parts of the summary that the page needs
      def parts(_summary) = []

      def summary
        @summary ||= read { |known| parts(known) }
      end

      # @yield see Queries::LoadSummary.call
      def read(&)
        Queries::LoadSummary.call(store, from_s: query.from_s, to_s: query.until_s, filter:, &)
      end

      # @return [Array<Analysis::SettingChanges::SettingChange>] within the span
      def marks
        @marks ||= Queries::SettingHistory.changes(store, from_s: query.from_s, to_s: query.until_s)
      end

      # @param kind [Class] of Sections
      def section(kind, limit: query.limit)
        kind.new(summary, words: @words, limit:).call
      end

      # The next step if no unit was measured: a sentence, and a command.
      def nothing
        return unmatched_filter if unmatched
        [Blocks::Lead.new(text: headline.verdict), *last_data, missing]
      end

      # @return [Blocks::Commands] to copy: what is missing where nothing was measured
      def missing = to_copy("doctor", purpose: word(:empty_command))

      # @param command [String] of holdup, quoted
      # @return [Blocks::Commands] under a sentence that needs no title
      def to_copy(command, purpose:)
        Blocks::Commands.new(title: nil, items: [Blocks::ShellCommand.holdup(command, purpose:)])
      end

      # A link to the last recording, before or after the span.
      def last_data
        newest_s = store.extent.last or return []
        units = Queries::RecordedInterval::ChartedSpan.new(store, filter:, units: true)
        from_s, to_s = units.last([query.until_s, newest_s + 1].max)
        return [] unless from_s
        since, till = [from_s, to_s].map { |second| Time.at(second).utc.strftime("%FT%TZ") }
        text = word(:last_data, span: Figures::Moments.span(from_s, to_s))
        [Blocks::SpanLink.new(text:, label: word(:last_data_open),
          params: {"since" => since, "until" => till})]
      end

      # The charts' part of the span: the part that has data, or all of it on request.
      def shown
        @shown ||= query["whole"] ? [query.from_s, query.until_s] : with_data
      end

      def with_data
        filter = Analysis::UnitFilter.new(threads: query.threads)
        @with_data ||= Queries::RecordedInterval::ChartedSpan.new(store, filter:)
          .shown(query.from_s, query.until_s)
      end

      # @return [Blocks::SpanLink, nil] to the rest of the span, or back; nil without a rest
      def part
        return if with_data == [query.from_s, query.until_s]
        span = Figures::Moments.span(*with_data)
        key, whole = query["whole"] ? [:chart_whole, nil] : [:chart_part, "yes"]
        Blocks::SpanLink.new(text: word(key, span:), label: word(:"#{key}_link"),
          params: {"whole" => whole})
      end

      # The filter's value that the span lacks, and the values it has instead.
      def unmatched_filter
        names = unmatched.shown.map { |value| unmatched_value(value) }.join(", ")
        # The filter's name is a glob: show what the reader typed.
        asked = (unmatched.part == :name) ? query["name"] || unmatched.asked : unmatched.asked
        facts = {asked: unmatched_value(asked), names:}
        instead = unmatched.nearest.any? ? :unmatched_nearest : :unmatched_known
        lead = Blocks::Lead.new(text: word(:"unmatched_#{unmatched.part}", **facts))
        return [lead, missing] if unmatched.part == :kind
        unmatched.known.empty? ? [lead] : [lead, Blocks::Notes.new(texts: [word(instead, **facts)])]
      end

      def unmatched_value(value)
        (unmatched.part == :kind) ? word(:"kind_#{value}") : Width.clean(value)
      end

      # @return [Queries::UnmatchedFilter, nil] if units were measured and the filter leaves none of them
      def unmatched
        return @unmatched if defined?(@unmatched)
        @unmatched = Queries::UnmatchedFilter.of(store, query.from_s, query.until_s, filter)
      end

      def headline
        Headline.new(summary, words: @words)
      end

      # A name too long for an address has no page of its own.
      def unit_link(row)
        return label(row) if row.name.size > LONGEST_NAME
        Blocks::Link.new(text: label(row), page: "endpoint",
          params: {"unit" => row.name, "kind" => row.kind.to_s, "in" => row.queue}.compact)
      end

      def label(row)
        Width.clean(row.queue ? "#{row.name} [#{row.queue}]" : row.name)
      end
    end

    class PageBase
      # For pages about all chosen units: where their time went, and their figures over time.
      module OverTime
        # Charts that the last hour has in steps of ten seconds.
        IN_ROUNDS = %w[shares rate wall waits heat_wall gvl].freeze

        # @return [Hash{String => Chart}]
        def charts = over_time_charts.map(&:to_h).reduce(:merge).slice(*charted)

        private

        def split = Blocks::Split.of(summary.total, @words)

        def time_series
          from_s, to_s = shown
          @time_series ||= Queries::TimeSeriesQuery.call(store, from_s:, to_s:, filter:,
            histograms: histograms_over_time, methods: methods_over_time?)
        end

        def methods_over_time? = false

        # Of the others the charts show means.
        def histograms_over_time = [:wall]

        # The GVL chart covers all that ran; it lacks data from before processes were recorded separately.
        def charted
          Charts::TimeSeries::NAMES + (time_series.gvl.empty? ? [] : ["gvl"])
        end

        # @return [Hash{String => String}]
        def chart_titles = over_time_charts.map(&:titles).reduce(:merge).slice(*charted)

        # By minutes or longer, then by rounds of the collector.
        # @return [Array<Charts::TimeSeries>]
        def over_time_charts
          @over_time_charts ||= begin
            names = rounds ? charted & IN_ROUNDS : []
            names -= ["gvl"] if rounds&.gvl&.empty?
            [charts_of(time_series, charted - names), *(charts_of(rounds, names) if names.any?)]
          end
        end

        def charts_of(series, names)
          Charts::TimeSeries.new(series, words: @words, names:, marks: chart_marks)
        end

        # @return [Analysis::TimeSeries, nil] of at most an hour, in steps of ten seconds
        def rounds
          return @rounds if defined?(@rounds)
          first = time_series.at_s.each_index.find { |index| time_series.measured?(index) }
          from_s, to_s = shown
          @rounds = first && Queries::RecentSeriesQuery.call(store, from_s:, to_s:, filter:,
            since_s: time_series.at_s[first])
        end

        # What features have to mark. A deploy of the web server and of the job runner is one.
        # @return [Array<Chart::Mark>]
        def chart_marks
          @chart_marks ||= Features.marks.flat_map { |listed| marks_of(listed.load) }
            .uniq { |mark| [mark.at.div(time_series.step_s), mark.label] }
        end

        def marks_of(reader)
          reader.call(store, from_s: query.from_s, to_s: query.until_s, words: @words)
        end

        # The requests of a step are those of the page.
        def moment_params = {}

        def changes
          @changes ||= Charts::TimeSeries::Changes.new(marks, words: @words,
            span: [query.from_s, query.until_s])
        end

        def over_time
          return if time_series.empty?
          table = Charts::TimeSeries::Table.new(time_series, words: @words, names: charted,
            limit: query.limit, params: moment_params)
          Blocks::FetchedCharts.new(title: word(:over_time), names: chart_titles,
            twin: table.call, part:)
        end
      end
    end
  end
end
