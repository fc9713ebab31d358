# frozen_string_literal: true

require "json"

module Holdup
  class CLI
    class Lab
      # Sidekiq's throughput at each concurrency, measured next to what one run predicts.
      class Jobs
        def self.options(console)
          Arguments.new(console.clock.realtime_s)
        end

        # @param lab [#new] Holdup::Lab::Jobs
        def initialize(console:, ledger:, redis_url: nil, store: nil, format: :text, language: nil,
          lab: Holdup::Lab::Jobs)
          @console = console
          @ledger = ledger
          @redis_url = redis_url
          @store = store
          @format = format
          @words = View::Words.new(language || Places.language(console.env))
          @lab = lab
        end

        # @raise [Holdup::Error] a run failed; the earlier measurements are printed first
        def run
          result = measured
          @console.out.write((@format == :json) ? json(result) : rendered(result))
          @console.err.puts(@words.call(:sweep_file, path: @ledger.path))
          raise result.failure if result.failure
          result.signal ? SIGNALED + result.signal : OK
        end

        private

        def measured
          store = @store && Store.open(@store)
          progress = Progress.new(@console, words: @words, step_s: @ledger.plan.step_s)
          @lab.new(@ledger, env: @console.env.to_h, redis_url: @redis_url, store:,
            progress: progress.method(:call)).call
        ensure
          @console.clear
          store&.close
        end

        def rendered(result)
          page = Holdup::Lab::Jobs::Report.new(result, words: @words).page
          Formats.render(page, format: @format, console: @console, words: @words)
        end

        def json(result)
          Holdup::Lab::Jobs::Report::Json.new(result, words: @words).call
        end

        # Reads the arguments of `holdup lab jobs`: which concurrencies are tried, with which jobs.
        class Arguments
          USAGE = "holdup lab jobs [options] [-- SIDEKIQ...]"
          CONCURRENCY = (1..200)
          DEFAULT = {concurrency: [1, 2, 5, 10, 20], seconds: 15, warm_up_s: 4, rounds: 2}.freeze
          SECONDS = (1..3600)
          ROUNDS = (1..100)
          KIND = /\A([A-Z][\w:]*)(?:,(\d{1,3}))?(?:,(\[.*\]))?\z/
          # Values outside the plan.
          OUTPUT = %i[store redis_url format language].freeze

          def initialize(now_s)
            @kept = SavedResult.new("jobs", now_s:, output: OUTPUT)
          end

          # @return [Hash{Symbol => Object}] keywords of Jobs, or {help: text}
          # @raise [UsageError]
          def parse(argv)
            values = Options.new(USAGE, rest: :command) { |parser, read| declare(parser, read) }.parse(argv)
            return values if values.key?(:help)
            ledger = @kept.ledger(values, Holdup::Lab::Jobs::JobLog) { plan(values) }
            {ledger:, **values.slice(*OUTPUT)}
          end

          private

          def declare(parser, values)
            runs(parser, values)
            parser.on("--job JOB", "CLASS[,WEIGHT[,[ARGUMENTS]]]; as often as there are kinds") do |text|
              (values[:kinds] ||= []) << kind(text)
            end
            parser.on("--redis-url URL", "a Redis to use; else a private one is started") do |text|
              values[:redis_url] = text
            end
            @kept.declare(parser, values)
            parser.on("--json", "for programs") { values[:format] = :json }
            Options.language(parser, values)
          end

          def runs(parser, values)
            parser.on("--concurrency LIST", "threads (#{DEFAULT[:concurrency].join(",")})") do |text|
              values[:concurrency] = Queries::OptionValues.list("--concurrency", text, CONCURRENCY)
            end
            parser.on("--baseline N", "predict from that one (the middle one)") do |text|
              values[:baseline] = Queries::OptionValues.whole("--baseline", text, CONCURRENCY)
            end
            parser.on("--seconds N", "of each run (#{DEFAULT[:seconds]})") do |text|
              values[:seconds] = Queries::OptionValues.seconds("--seconds", text, SECONDS)
            end
            parser.on("--warm-up N", "seconds before it that don't count (#{DEFAULT[:warm_up_s]})") do |text|
              values[:warm_up_s] = Queries::OptionValues.seconds("--warm-up", text, SECONDS)
            end
            parser.on("--rounds N", "of all runs (#{DEFAULT[:rounds]})") do |text|
              values[:rounds] = Queries::OptionValues.whole("--rounds", text, ROUNDS)
            end
          end

          def kind(text)
            match = KIND.match(text)
            raise JSON::ParserError unless match
            Holdup::Lab::Jobs::Kind.new(name: match[1], weight: [match[2].to_i, 1].max,
              arguments: JSON.parse(match[3] || "[]"))
          rescue JSON::ParserError
            raise UsageError.new("--job can't be #{text[0, 100].inspect}",
              'it takes a class, and how often and with what, such as ReportJob,3,[42,"pdf"]')
          end

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
