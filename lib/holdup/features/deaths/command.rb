# frozen_string_literal: true

module Holdup
  module Deaths
    # Processes that died, a line each, or one of them with all that is known.
    class Command
      FORMATS = %i[text json markdown].freeze
      SINCE_S = 86_400

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup deaths [ID] [options]", [
        *Queries::SelectionOptions.span("30m, 24h (the default), 7d ago, or 2026-11-21T12:00"),
        Queries::SelectionOptions[:host],
        *CLI::Formats.options(FORMATS),
        CLI::Options::STORE,
        CLI::Options::LANGUAGE
      ], rest: :ids, mixed: true)

      # @raise [UsageError]
      def self.keywords(given, _console)
        values = given.with_defaults
        to_s = values.fetch(:until) { CLI::Options.until_now(given.now_s) }
        from_s, to_s = Queries::SelectionOptions.ordered(values.fetch(:since, to_s - SINCE_S), to_s)
        {**values.except(:since, :until), from_s:, to_s:}
      end

      # @param from_s [Integer] seconds since 1970
      # @param ids [Array<String>] of one death, or none
      # @param origin [Queries::Origin] which hosts
      # @param store [String, nil] URL or path; nil: where the collector keeps it
      # @raise [UsageError] several ids
      def initialize(console:, from_s:, to_s:, ids: [], origin: Queries::Origin.new, format: :text,
        store: nil, language: nil)
        if ids.size > 1
          raise UsageError.new("deaths takes one id, got #{ids.size}", "`holdup deaths` lists them")
        end
        @console = console
        @span = {from_s:, to_s:}
        @id = ids.first
        @origin = origin
        @format = format
        @store = store
        @words = View::Words.new(language || CLI::Places.language(console.env))
      end

      # @return [Integer] exit status
      # @raise [Error] there is no such death, or the store can't be read
      def run
        deaths = CLI::Places.reading(@console.env, @store, origin: @origin) { |store| read(store) }
        @console.show((@format == :json) ? json(deaths) : text(deaths))
        CLI::OK
      end

      private

      # An id names a death whenever it was.
      def read(store)
        return store.deaths(*@span.values) unless @id
        deaths = store.deaths(0, @console.clock.realtime_s + 1).select { |autopsy| autopsy.id == @id }
        return deaths unless deaths.empty?
        raise Error.new("the store has no death #{@id[0, 40].inspect}",
          "`holdup deaths --since 90d` lists those that it has")
      end

      def json(deaths) = Report::Json.new(deaths, **@span, words: @words).call

      def text(deaths)
        report = Report.new(deaths, **@span, words: @words)
        page = @id ? DeathDetails.new(deaths.first, words: @words).page : report.page
        CLI::Formats.render(page, format: @format, console: @console, words: @words)
      end
    end
  end
end
