# frozen_string_literal: true

module Holdup
  class CLI
    # Prints what the store knows about a span of time.
    class Report
      FORMATS = %i[text json markdown html].freeze
      LIMIT = 15
      # What rows are sorted by, in the words of the dashboard.
      ORDERS = {stalled: "suffered", caused: "caused", wall: "wall", count: "count"}.freeze
      # Of sentences: longer lines are harder to read.
      WIDEST = 120

      def self.options(console) = ReportOptions.new(console)

      # @param console [Console]
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @param filter [Analysis::UnitFilter]
      # @param by [Symbol] a value of Analysis::Grouping::BY
      # @param sort [Symbol] a key of Analysis::Grouping::SORT
      # @param format [Symbol] one of FORMATS
      # @param app [String, nil] application; nil: all of the store
      # @param store [String, nil] URL or path; nil: where the collector keeps it
      # @param language [String, nil] nil: from the environment
      # @param limit [Integer] rows of each table
      # @param details [Boolean] also the group means of each row
      # @param out [String, nil] file that it is written to
      # @param live [Boolean] whether the span ends now
      # @param fresh [Boolean] whether what was measured up to now is waited for
      # @param dir [String, nil] folder of the segments
      def initialize(console:, from_s:, to_s:, filter:, by:, sort:, format:, limit:, details:, app: nil, out: nil, store: nil, language: nil,
        live: true, fresh: false, dir: nil)
        @console = console
        @span = {from_s:, to_s:}
        @live = live
        @fresh = fresh
        @dir = Places.directory(console.env, dir)
        @view = {filter:, by:, sort:}
        @format = format
        @app = app
        @store = store
        @words = View::Words.new(language || Places.language(console.env))
        @layout = {limit:, details:}
        @destination = Destination.new(console, file: out, format:)
      end

      # @return [Integer] exit status
      # @raise [UsageError] for a filter that nothing matches
      def run
        freshen if @fresh
        @destination.write((@format == :html) ? html : report(summary).call)
        OK
      end

      private

      def freshen
        late = FreshReport.new(@console, store: @store, dir: @dir).call
        @console.err.puts("holdup: #{late}") if late
        @span = @span.merge(to_s: @console.clock.realtime_s) if @live
      end

      def html
        Places.reading(@console.env, @store, app: @app) do |store|
          look(store)
          check(store)
          Holdup::Web::Static::Report.new(store, asked:, language: @words.language, told:).call
        end
      end

      def asked
        Holdup::Web::Static::Asked.new(from_s: @span[:from_s], until_s: @span[:to_s], chosen: @view[:filter], limit: @layout[:limit],
          params: {"sort" => ORDERS.fetch(@view[:sort]), "app" => @app}.compact)
      end

      def summary
        Places.reading(@console.env, @store, app: @app) do |store|
          look(store)
          @marks = Queries::SettingChangeQuery.call(store, **@span) if @format == :json
          Queries::LoadSummary.call(store, **@span, **@view).tap { |summary| check(store) if summary.empty? }
        end
      end

      def check(store)
        filter = @view[:filter]
        filter = filter.with(kind: nil) if @view[:by] == :priority # which only jobs have
        unmatched = Queries::UnmatchedFilter.of(store, *@span.values, filter)
        raise unmatched.error if unmatched
      end

      def look(store)
        @drifts = drifts(store)
        if @live
          @uncollected = Holdup::Doctor::UncollectedUnits.new(dir: @dir, app: @app).look(store,
            named: !@store.nil?)
        end
      end

      # They are of the whole application, so they are no part of what is said of some units.
      def drifts(store)
        @view[:filter].narrow? ? [] : Holdup::Doctor::StoreChecks::Drift.findings(Queries::DriftQuery.call(store,
          @span[:to_s]))
      end

      def drift_facts
        @drifts.zip(drifted).map { |finding, text| {key: finding.key, text:, facts: finding.facts} }
      end

      def drifted
        @drifted ||= @drifts.map { |finding| View::DoctorSentence.call(@words, finding.key, finding.facts) }
      end

      def told
        [*drifted,
          View::UncollectedRemark.remark(@uncollected, now_s: @console.clock.realtime_s,
            words: @words)].compact
      end

      def report(summary)
        case @format
        when :json
          View::Json.new(summary, words: @words, drifts: drift_facts, marks: @marks,
            uncollected: @uncollected)
        when :markdown
          View::Markdown.new(summary, words: @words, told:, **@layout)
        else text(summary)
        end
      end

      def text(summary)
        View::Text.new(summary, words: @words, told:, **@console.layout(WIDEST), **@layout)
      end
    end
  end
end
