# frozen_string_literal: true

module Holdup
  module Report
    # Prints what the store knows about a span of time: on one screen, or all tables, or one of them.
    class Command
      FORMATS = %i[text json markdown html pprof firefox].freeze
      LIMIT = 15
      # Share of requests and jobs that may be missing from a text.
      YOUNG = 0.1
      # What rows are sorted by, in the words of the dashboard.
      ORDERS = {stalled: "suffered", caused: "caused", wall: "wall", count: "count"}.freeze

      extend CLI::CommandArguments

      tables = FullReport::TABLES.keys
      OPTIONS = CLI::Options.new("holdup report [options]", [
        *Queries::SelectionOptions.span("30m, 1h (the default), 2d ago, or 2026-11-21T12:00"),
        Queries::Option.switch("--fresh", "wait until all that was measured is stored"),
        Queries::SelectionOptions[:kind, "request or job"],
        *Queries::SelectionOptions.origin,
        Queries::SelectionOptions[:name, "only names like 'Orders*' (job classes too)"],
        Queries::SelectionOptions[:queue],
        Queries::SelectionOptions[:threads],
        Queries::Option.choice("--by WHAT", Analysis::SeriesRow::Grouping::BY,
          "rows by name, host, role, revision, setting,", "process, queue or priority",
          default: :name, tool: "what a row is"),
        *CLI::Formats::SCREEN_OPTIONS,
        Queries::Option.choice("--table NAME", tables, "one table, of these:",
          *tables.each_slice(5).map { |some| some.join(", ") }),
        Queries::Option.choice("--sort KEY", Analysis::SeriesRow::Grouping::SORT.keys,
          "by stalled, caused, wall or count", default: :stalled, tool: "order of the rows"),
        *CLI::Formats.options(FORMATS),
        CLI::Options::OUT,
        Queries::Option.whole("--limit N", 1..100_000, "with all tables: rows of each (#{LIMIT})",
          default: LIMIT),
        Queries::Option.switch("--details", "all tables, and means of slices of each row", default: false),
        Queries::Option.switch("--watch", "every ten seconds anew, until q"),
        CLI::Options::STORE,
        CLI::Options::DIR,
        CLI::Options::LANGUAGE
      ])

      # @raise [UsageError]
      def self.keywords(given, _console) = Arguments.new(given).keywords

      # @param from_s [Integer] seconds since 1970
      # @param by [Symbol] a value of Analysis::SeriesRow::Grouping::BY
      # @param sort [Symbol] a key of Analysis::SeriesRow::Grouping::SORT
      # @param format [Symbol] one of FORMATS
      # @param store [String, nil] URL or path; nil: where the collector keeps it
      # @param limit [Integer] rows of each table
      # @param details [Boolean] also the group means of each row
      # @param show [Symbol] :screen, :full, or a key of FullReport::TABLES for one table
      # @param wide [Boolean] whether a text cuts no name
      # @param again [Hash{String => Hash{String => String}}] what the next commands take of what was given
      # @param out [String, nil] file that it is written to
      # @param live [Boolean] whether the span ends now
      # @param fresh [Boolean] whether it first waits for the latest measurements
      # @param dir [String, nil] folder of the segments
      # @param watch [Boolean] whether it draws the text anew until a key ends it
      # @param moves [Boolean] whether the beginning then moves on with the clock
      # @param input [IO] of the keys
      # @raise [UsageError] --watch without a terminal, or with another format
      def initialize(console:, from_s:, to_s:, filter:, by:, sort:, format:, limit:, details:,
        show: :full, wide: false, again: {}, origin: Queries::Origin.new, out: nil, store: nil, language: nil,
        live: true, fresh: false, dir: nil, watch: false, moves: true, input: $stdin)
        @console = console
        @span = {from_s:, to_s:}
        @live = live
        @fresh = fresh
        @dir = CLI::Places.directory(console.env, dir)
        @view = {filter:, by:, sort:}
        @format = format
        @origin = origin
        @store = store
        @words = View::Words.new(language || CLI::Places.language(console.env))
        @layout = {limit:, details:}
        @show = show
        @wide = wide
        @again = again
        @destination = CLI::Formats::Destination.new(console, file: out, format:)
        @watch = watch
        @moves = moves
        @input = input
        Holdup::Top::LiveText.check(console, input:, format:) if watch
      end

      # @raise [UsageError] nothing matches the filter
      def run
        return watch if @watch
        freshen if @fresh
        @destination.write((@format == :html) ? html : answer)
        CLI::OK
      end

      private

      def watch
        from_s, to_s = @span.values
        terminal = Holdup::Top::Terminal.new(@input, @console.out)
        Holdup::Top::LiveText.new(terminal, clock: @console.clock).call do |passed_s|
          @span = {from_s: @moves ? from_s + passed_s : from_s, to_s: to_s + passed_s}
          stored { |summary| report(summary) }
        end
        CLI::OK
      end

      def freshen
        late = FreshReader.new(@console, store: @store, dir: @dir).call
        @console.err.puts("holdup: #{late}") if late
        @span = @span.merge(to_s: CLI::Options.until_now(@console.clock.realtime_s)) if @live
      end

      def html
        CLI::Places.reading(@console.env, @store, origin: @origin) do |store|
          look(store)
          check(store)
          HtmlReport.new(store, query: asked, words: @words, remarks:).call
        end
      end

      def asked
        params = {"sort" => ORDERS.fetch(@view[:sort]), **@origin.limits.transform_keys(&:to_s)}
        HtmlReport::Query.new(from_s: @span[:from_s], until_s: @span[:to_s], chosen: @view[:filter],
          limit: @layout[:limit], params:)
      end

      # @return [String]
      def answer
        stored { |summary| report(summary) unless young?(summary) } || begin
          freshen
          stored { |summary| report(summary) }
        end
      end

      # Right after the first requests many of them are not stored yet, and figures of the others mislead.
      def young?(found)
        return false if @fresh || @format != :text || @view[:filter].narrow?
        !!@uncollected&.collecting && @uncollected.units > found.total.count * YOUNG
      end

      # @yieldparam summary [Analysis::Summary]
      # @return [Object] the block's value
      def stored
        CLI::Places.reading(@console.env, @store, origin: @origin) do |whole|
          store = Queries::RequestCache.new(whole)
          # With what the tables read.
          store.snapshot { yield summary_of(store) }
        end
      end

      def summary_of(store)
        look(store)
        @changes = Queries::SettingHistory.changes(store, **@span) if @format == :json || screen?
        summary = Queries::LoadSummary.call(store, **@span, **@view, growth: @show == :memory) do |known|
          parts(known)
        end
        check(store) if summary.empty?
        summary
      end

      # @return [Array<Symbol>] parts of the summary that the answer needs
      def parts(summary)
        return View::Json.parts(summary) if @format == :json
        return Captures::MethodProfile.parts(summary) if Captures::MethodProfile::FORMATS.include?(@format)
        return ReportScreen.parts(summary) if screen?
        return FullReport.parts_of_table(@show, summary) if FullReport::TABLES.key?(@show)
        FullReport.parts(summary)
      end

      def check(store)
        filter = @view[:filter]
        filter = filter.with(kind: nil) if @view[:by] == :priority # which only jobs have
        unmatched = Queries::UnmatchedFilter.of(store, *@span.values, filter)
        raise unmatched.error if unmatched
      end

      def look(store)
        @drifts = drifts(store)
        @drifted = nil
        return unless @live
        uncollected = Queries::UncollectedUnits.new(dir: @dir, origin: @origin)
        @uncollected = uncollected.look(store, named: !@store.nil?)
      end

      # Drifts describe the whole application, so a filtered report has none.
      def drifts(store)
        return [] if @view[:filter].narrow?
        Holdup::Doctor::StoreChecks::Drift.findings(Compare::DriftReader.call(store, @span[:to_s]))
      end

      def drift_facts
        @drifts.zip(drifted).map { |finding, text| {key: finding.key, text:, facts: finding.facts} }
      end

      def drifted
        @drifted ||= @drifts.map { |finding|
          View::CheckSentence.call(@words, finding.key, finding.facts)
        }
      end

      def remarks = [*drifted, *uncollected]

      # @return [Array<String>] a sentence, or none
      def uncollected
        now_s = @console.clock.realtime_s
        [View::Remarks::Uncollected.remark(@uncollected, now_s:, words: @words)].compact
      end

      def report(summary)
        return json(summary) if @format == :json
        if Captures::MethodProfile::FORMATS.include?(@format)
          return Captures::MethodProfile.call(summary,
            @format)
        end
        return screen(summary) if screen?
        report = FullReport.new(summary, words: @words, remarks:, **@layout)
        page = FullReport::TABLES.key?(@show) ? report.table(@show) : report.page
        CLI::Formats.render(page, format: @format, console: @console, words: @words, wide: @wide)
      end

      def screen? = @format == :text && @show == :screen

      def screen(summary)
        screen = ReportScreen.new(summary, words: @words, changes: @changes, drifts: drifts_on_screen,
          remarks: uncollected, again: @again)
        CLI::Formats.screen(screen, console: @console, wide: @wide)
      end

      # A change within the span is listed with its time.
      def drifts_on_screen
        listed = @changes.any?
        @drifts.zip(drifted).filter_map do |finding, text|
          text unless listed && finding.key == :setting_changed
        end
      end

      def json(summary)
        View::Json.new(summary, words: @words, drifts: drift_facts, marks: @changes,
          uncollected: @uncollected).call
      end
    end
  end
end
