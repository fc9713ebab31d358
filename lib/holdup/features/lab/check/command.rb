# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    class Check
      # A gate for CI: fails when an endpoint is worse than a baseline that is committed with the code.
      class Command
        TOLERANCE = 0.1
        SINCE_S = 3600

        extend CLI::CommandArguments

        USAGE = "holdup lab check --baseline FILE [--sweep FILE | --store URL] [options]"
        private_constant :USAGE

        OPTIONS = CLI::Options.new(USAGE, [
          Queries::Option.text("--baseline FILE", "the figures to compare with"),
          Queries::Option.switch("--write", "make that file of what there is now"),
          Queries::Option.share("--tolerance P", "how much longer times may get (10%)", default: TOLERANCE),
          Queries::Option.text("--sweep FILE", "what `holdup lab sweep` measured"),
          CLI::Options::STORE,
          *Queries::SelectionOptions.span("of the store: 1h (the default) ago, or a date"),
          *CLI::Formats.names(%i[json]),
          CLI::Options::LANGUAGE
        ])

        # @raise [UsageError]
        def self.keywords(given, _console)
          values = given.with_defaults
          unless values[:baseline]
            raise UsageError.new("lab check needs a baseline",
              "name its file with --baseline; --write makes it")
          end
          if values[:sweep] && (values.keys & %i[store since until]).any?
            raise UsageError.new("--sweep is a recording by itself",
              "leave out --store, --since and --until, or --sweep")
          end
          to_s = values.fetch(:until, given.now_s)
          {**values.except(:since, :until), from_s: values.fetch(:since, to_s - SINCE_S), to_s:}
        end

        # @param baseline [String] file
        # @param write [Boolean] whether to make it
        # @param sweep [String, nil] file
        # @param from_s [Integer] of the store, seconds since 1970
        def initialize(console:, baseline:, write: false, from_s: 0, to_s: 0, tolerance: TOLERANCE,
          sweep: nil, store: nil, format: :text, language: nil)
          @console = console
          @path = baseline
          @write = write
          @tolerance = tolerance
          @sweep = sweep
          @store = store
          @span = [from_s, to_s]
          @format = format
          @words = View::Words.new(language || CLI::Places.language(console.env))
        end

        # @return [Integer] exit status: 1 when an endpoint is worse
        # @raise [Holdup::Error]
        def run
          return write if @write
          baseline = Holdup::Lab::Check::Baseline.open(@path)
          endpoints = figures(baseline.load).endpoints
          check = Holdup::Lab::Check.new(baseline, endpoints, tolerance: @tolerance)
          @console.show((@format == :json) ? "#{JSON.pretty_generate(check.to_h)}\n" : rendered(check))
          check.passed? ? CLI::OK : CLI::FAILED
        end

        private

        def write
          baseline = figures(nil)
          baseline.write(@path)
          @console.out.puts(@words.call(:check_written, path: @path, count: baseline.endpoints.size))
          CLI::OK
        end

        # @return [Holdup::Lab::Check::Baseline] the current figures
        def figures(load)
          sources = Holdup::Lab::Check::Sources
          return sources.sweep(@sweep, load:) if @sweep
          CLI::Places.reading(@console.env, @store) { |store| sources.store(store, *@span, load:) }
        end

        def rendered(check)
          page = Holdup::Lab::Check::Report.new(check, tolerance: @tolerance, words: @words).page
          CLI::Formats.render(page, format: @format, console: @console, words: @words)
        end
      end
    end
  end
end
