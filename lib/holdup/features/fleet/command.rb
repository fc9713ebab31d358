# frozen_string_literal: true

module Holdup
  module Fleet
    # All hosts of a store: what runs where, which host differs, which revisions ran at the same time.
    class Command
      FORMATS = %i[text json markdown html].freeze
      SINCE_S = 3600

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup fleet [options]", [
        *Queries::SelectionOptions.span("30m, 1h (the default), 2d ago, or 2026-11-21T12:00"),
        *Queries::SelectionOptions.origin,
        *CLI::Formats.options(FORMATS),
        CLI::Options::OUT,
        Queries::Option.whole("--limit N", 1..100_000, "rows of each table (#{Report::ROWS})",
          default: Report::ROWS),
        Queries::Option.switch("--watch", "every ten seconds anew, until q"),
        CLI::Options::STORE,
        CLI::Options::LANGUAGE
      ])

      # @raise [UsageError]
      def self.keywords(given, _console)
        values = given.with_defaults
        to_s = values.fetch(:until) { CLI::Options.until_now(given.now_s) }
        from_s, to_s = Queries::SelectionOptions.ordered(values.fetch(:since, to_s - SINCE_S), to_s)
        if values[:watch] && values.key?(:until)
          raise UsageError.new("--watch and --until can't be combined", "leave out one of them")
        end
        {**values.except(:since, :until), from_s:, to_s:, moves: given.moves?("since")}
      end

      # @param from_s [Integer] seconds since 1970
      # @param origin [Queries::Origin] what of the fleet
      # @param limit [Integer] rows of each table
      # @param out [String, nil] file that it is written to
      # @param store [String, nil] URL or path; nil: where the collector keeps it
      # @param watch [Boolean] whether it draws the text anew until a key ends it
      # @param moves [Boolean] whether the beginning then moves on with the clock
      # @param input [IO] of the keys
      # @raise [UsageError] --watch without a terminal, or with another format
      def initialize(console:, from_s:, to_s:, origin: Queries::Origin.new, format: :text,
        limit: Report::ROWS, out: nil, store: nil, language: nil, watch: false, moves: true, input: $stdin)
        @console = console
        @span = {from_s:, to_s:}
        @origin = origin
        @format = format
        @limit = limit
        @destination = CLI::Formats::Destination.new(console, file: out, format:)
        @store = store
        @words = View::Words.new(language || CLI::Places.language(console.env))
        @watch = watch
        @moves = moves
        @input = input
        Holdup::Top::LiveText.check(console, input:, format:) if watch
      end

      def run
        @watch ? watch : @destination.write(answer)
        CLI::OK
      end

      private

      def answer
        CLI::Places.reading(@console.env, @store, origin: @origin) do |store|
          store.snapshot { text(store) }
        end
      end

      def watch
        from_s, to_s = @span.values
        terminal = Holdup::Top::Terminal.new(@input, @console.out)
        Holdup::Top::LiveText.new(terminal, clock: @console.clock).call do |passed_s|
          @span = {from_s: @moves ? from_s + passed_s : from_s, to_s: to_s + passed_s}
          answer
        end
      end

      def text(store)
        return html(store) if @format == :html
        fleet = Reader.call(store, **@span)
        changes = Queries::SettingHistory.changes(store, **@span)
        return Report::Json.new(fleet, changes:).call if @format == :json
        page = Report.new(fleet, changes:, words: @words, limit: @limit).page
        CLI::Formats.render(page, format: @format, console: @console, words: @words)
      end

      # The page has the charts of the dashboard's page.
      def html(store)
        query = Holdup::Report::HtmlReport::Query.new(from_s: @span[:from_s], until_s: @span[:to_s],
          chosen: Analysis::UnitFilter.new, limit: @limit)
        cache = Queries::RequestCache.new(store)
        page = Page.new(context: nil, store: cache, query:, words: @words)
        title = @words.call(:title_fleet)
        part = View::Html::Part.new(id: "fleet", title:, blocks: page.blocks, charts: page.charts)
        about = [View::Figures::Moments.span(*@span.values)]
        View::Html.new([part], title:, about:, words: @words).call
      end
    end
  end
end
