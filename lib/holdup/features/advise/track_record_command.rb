# frozen_string_literal: true

module Holdup
  module Advise
    # `holdup advise --track-record`: how right the predictions have been that this store has outcomes of.
    class TrackRecordCommand
      FORMATS = %i[text json markdown].freeze
      OPTIONS = CLI::Options.new("holdup advise --track-record [options]", [
        *Command::OPTIONS.only("track-record", "limit"), Queries::SelectionOptions[:kind],
        *Queries::SelectionOptions.origin(%i[app]), *CLI::Formats.options(FORMATS), CLI::Options::STORE,
        CLI::Options::LANGUAGE
      ])

      # @param given [CLI::GivenOptions]
      # @return [Hash{Symbol => Object}] of `new`
      # @raise [UsageError] it takes no other options
      def self.keywords(given, _console)
        others = given.unknown_to(OPTIONS)
        others = [*others, "--html"] if given.values[:format] == :html
        if others.any?
          raise UsageError.new("--track-record can't be combined with #{others.uniq.join(", ")}",
            "leave them out: it shows all predictions that came true or false")
        end
        given.with_defaults.slice(:kind, :limit, :origin, :format, :store, :language)
      end

      # @param limit [Integer] outcomes that are shown
      def initialize(console:, kind: :request, limit: Command::ROWS, origin: Queries::Origin.new,
        format: :text, store: nil, language: nil)
        @console = console
        @kind = kind
        @limit = limit
        @origin = origin
        @format = format
        @store = store
        @words = View::Words.new(language || CLI::Places.language(console.env))
      end

      def run
        outcomes, judged = CLI::Places.reading(@console.env, @store, origin: @origin) do |store|
          [store.outcomes, judged(store)]
        end
        record = Sizing::TrackRecord.new(outcomes, kind: @kind)
        report = TrackRecordReport.new(record, kind: @kind, words: @words, limit: @limit, judged:)
        @console.show((@format == :json) ? report.json : rendered(report.page))
        CLI::OK
      end

      private

      # @return [Array<JudgedChanges::JudgedChange>] of the application that was asked about
      def judged(store)
        all = JudgedChanges.new(@kind, store.answer(JudgedChanges.question(@kind))).to_a
        all.select { |change| @origin.app.nil? || change.app == @origin.app }
      end

      def rendered(page)
        CLI::Formats.render(page, format: @format, console: @console, words: @words)
      end
    end
  end
end
