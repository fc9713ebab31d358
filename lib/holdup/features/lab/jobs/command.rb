# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    class Jobs
      # Sidekiq's throughput at each concurrency, measured next to what one run predicts.
      class Command
        include Lab::Command::ResumableExperiment

        extend CLI::CommandArguments

        CONCURRENCY = (1..200)
        SECONDS = (1..3600)
        ROUNDS = (1..100)
        DEFAULT = {concurrency: [1, 2, 5, 10, 20], seconds: 15, warm_up_s: 4, rounds: 2}.freeze

        # A class of jobs, how often, and its arguments: ReportJob,3,[42,"pdf"]
        JobType = Data.define do
          include Queries::OptionTypes::Plain

          def read(option, text, _now_s)
            match = self.class::TEXT.match(text)
            raise JSON::ParserError unless match
            Holdup::Lab::Jobs::Kind.new(name: match[1], weight: [match[2].to_i, 1].max,
              arguments: JSON.parse(match[3] || "[]"))
          rescue JSON::ParserError
            raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
              'it takes a class, and how often and with what, such as ReportJob,3,[42,"pdf"]')
          end
        end
        JobType::TEXT = /\A([A-Z][\w:]*)(?:,(\d{1,3}))?(?:,(\[.*\]))?\z/

        OPTIONS = CLI::Options.new("holdup lab jobs [options] [-- SIDEKIQ...]", [
          Queries::Option.declare("--concurrency LIST", Queries::OptionTypes::WholeList.new(CONCURRENCY),
            "threads (#{DEFAULT[:concurrency].join(",")})"),
          Queries::Option.whole("--baseline N", CONCURRENCY, "predict from that one (the middle one)"),
          Queries::Option.seconds("--seconds N", SECONDS, "of each run (#{DEFAULT[:seconds]})"),
          Queries::Option.seconds("--warm-up N", SECONDS,
            "seconds before it that don't count (#{DEFAULT[:warm_up_s]})", key: :warm_up_s),
          Queries::Option.whole("--rounds N", ROUNDS, "of all runs (#{DEFAULT[:rounds]})"),
          Queries::Option.declare("--job JOB", Queries::OptionTypes::Repeated.new(JobType.new),
            "CLASS[,WEIGHT[,[ARGUMENTS]]]; as often as there are kinds", key: :kinds),
          Queries::Option.text("--redis-url URL", "a Redis to use; else a private one is started"),
          *Lab::Command::SavedResult.options("jobs"),
          *CLI::Formats.names(%i[json]),
          CLI::Options::LANGUAGE
        ], rest: :command)

        # @raise [UsageError]
        def self.keywords(given, _console) = Arguments.new(given).keywords

        # @param lab [#new] Holdup::Lab::Jobs
        def initialize(console:, ledger:, redis_url: nil, store: nil, format: :text, language: nil,
          lab: Holdup::Lab::Jobs)
          @console = console
          @ledger = ledger
          @redis_url = redis_url
          @store = store
          @format = format
          @words = View::Words.new(language || CLI::Places.language(console.env))
          @lab = lab
        end

        private

        def experiment(store:, progress:)
          @lab.new(@ledger, env: @console.env.to_h, redis_url: @redis_url, store:, progress:)
        end

        def rendered(result)
          return json(result) if @format == :json
          page = Holdup::Lab::Jobs::Report.new(result, words: @words).page
          CLI::Formats.render(page, format: @format, console: @console, words: @words)
        end

        def json(result)
          Holdup::Lab::Jobs::Report::Json.new(result, words: @words).call
        end

        # Reads the arguments of `holdup lab jobs`: which concurrencies are tried, with which jobs.
        class Arguments
          # Values outside the plan.
          OUTPUT = %i[store redis_url format language].freeze

          # @param given [CLI::GivenOptions]
          def initialize(given)
            @given = given
            @kept = Lab::Command::SavedResult.new("jobs", now_s: given.now_s, output: OUTPUT)
          end

          # @return [Hash{Symbol => Object}] keywords of Jobs
          # @raise [UsageError]
          def keywords
            values = @given.values
            ledger = @kept.ledger(values, Holdup::Lab::Jobs::JobLog) { plan(values) }
            {ledger:, **values.slice(*OUTPUT)}
          end

          private

          def plan(values)
            check(values[:command], values[:kinds])
            asked = DEFAULT.merge(values.slice(*DEFAULT.keys))
            middle = asked[:concurrency][asked[:concurrency].size / 2]
            Holdup::Lab::Jobs::JobsPlan.new(**asked, baseline: values.fetch(:baseline, middle),
              command: values[:command], root: Dir.pwd, **values.slice(:kinds))
          end

          def check(command, kinds)
            if command.any? && kinds.nil?
              raise UsageError.new("lab jobs needs jobs for the queue",
                "name them with --job ReportJob,3,[42]")
            end
            if command.empty? && kinds
              raise UsageError.new("--job needs the Sidekiq that has it",
                "give its command last, such as -- bundle exec sidekiq -r ./app.rb")
            end
          end
        end
      end
    end
  end
end
