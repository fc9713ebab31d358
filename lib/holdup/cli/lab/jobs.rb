# frozen_string_literal: true

require "json"
require_relative "../../lab/jobs"
require_relative "../../lab/jobs/program"
require_relative "../../reports/style"
require_relative "../../reports/words"
require_relative "../options"
require_relative "../places"
require_relative "../../inquiry/values"

module Holdup
  class CLI
    class Lab
      # Sidekiq's throughput at each concurrency, measured beside what one run had let expect.
      class Jobs
        CONCURRENCY = (1..200)
        DEFAULT_CONCURRENCY = [1, 2, 5, 10, 20].freeze
        SECONDS = (1..3600)
        DEFAULT_SECONDS = 15
        DEFAULT_WARM_UP_S = 4
        ROUNDS = (1..100)
        DEFAULT_ROUNDS = 2
        WIDTHS = (76..100)
        KIND = /\A([A-Z][\w:]*)(?:,(\d{1,3}))?(?:,(\[.*\]))?\z/
        INTERRUPTED = 130

        class << self
          def options(_console)
            Options.new("holdup lab jobs [options] [-- SIDEKIQ...]", rest: :command) do |parser, values|
              runs(parser, values)
              parser.on("--job JOB", "CLASS[,WEIGHT[,[ARGUMENTS]]]; as often as there are kinds") { |text| (values[:kinds] ||= []) << kind(text) }
              parser.on("--redis-url URL", "a Redis to use; else a private one is started") { |text| values[:redis_url] = text }
              parser.on("--json", "for programs") { values[:json] = true }
              parser.on("--lang LANG", Reports::Words::LANGUAGES.keys.join(" or ")) { |text| values[:language] = text }
            end
          end

          private

          def runs(parser, values)
            parser.on("--concurrency LIST", "threads (#{DEFAULT_CONCURRENCY.join(",")})") { |text| values[:concurrency] = Inquiry::Values.list("--concurrency", text, CONCURRENCY) }
            parser.on("--baseline N", "predict from that one (the middle one)") { |text| values[:baseline] = Inquiry::Values.whole("--baseline", text, CONCURRENCY) }
            parser.on("--seconds N", "of each run (#{DEFAULT_SECONDS})") { |text| values[:seconds] = Inquiry::Values.seconds("--seconds", text, SECONDS) }
            parser.on("--warm-up N", "seconds before it that don't count (#{DEFAULT_WARM_UP_S})") { |text| values[:warm_up_s] = Inquiry::Values.seconds("--warm-up", text, SECONDS) }
            parser.on("--rounds N", "of all runs (#{DEFAULT_ROUNDS})") { |text| values[:rounds] = Inquiry::Values.whole("--rounds", text, ROUNDS) }
          end

          def kind(text)
            match = KIND.match(text) or raise JSON::ParserError
            Holdup::Lab::Jobs::Kind.new(name: match[1], weight: [match[2].to_i, 1].max, arguments: JSON.parse(match[3] || "[]"))
          rescue JSON::ParserError
            raise UsageError.new("--job can't be #{text[0, 100].inspect}", 'it takes a class, and how often and with what, such as ReportJob,3,[42,"pdf"]')
          end
        end

        # @param console [Console]
        # @param command [Array<String>] the user's Sidekiq without -c and -q; empty: the lab's own jobs
        # @param kinds [Array<Holdup::Lab::Jobs::Kind>, nil] of the user's jobs
        # @param lab [#new] Holdup::Lab::Jobs
        def initialize(console:, command: [], kinds: nil, concurrency: DEFAULT_CONCURRENCY, baseline: nil, seconds: DEFAULT_SECONDS, warm_up_s: DEFAULT_WARM_UP_S,
          rounds: DEFAULT_ROUNDS, redis_url: nil, json: false, language: nil, lab: Holdup::Lab::Jobs)
          check(command, kinds)
          @console = console
          @words = Reports::Words.new(language || Places.language(console.env))
          @json = json
          @lab = lab
          @command = command
          @given = {concurrency: concurrency | [baseline].compact, baseline: baseline || concurrency[concurrency.size / 2], seconds:, warm_up_s:, rounds:, redis_url:,
                    env: console.env.to_h, progress: method(:progress), kinds:}.compact
        end

        # @return [Integer] exit status
        # @raise [Holdup::Error]
        def run
          result = @lab.new(program:, **@given).call
          @console.clear
          @console.out.write(report(result).call)
          result.stopped? ? INTERRUPTED : OK
        end

        private

        def check(command, kinds)
          raise UsageError.new("which jobs are to be put into the queue?", "name them with --job ReportJob,3,[42]") if command.any? && kinds.nil?
          raise UsageError.new("--job needs the Sidekiq that has it", "give its command last, such as -- bundle exec sidekiq -r ./app.rb") if command.empty? && kinds
        end

        # Sidekiq's client is needed here for either.
        def program
          own = Holdup::Lab::Jobs::Program.own
          @command.empty? ? own : own.with(command: @command, folder: Dir.pwd)
        end

        def report(result)
          return json(result) if @json
          require_relative "../../lab/jobs/text"
          Holdup::Lab::Jobs::Text.new(result, words: @words, width: (@console.columns || 80).clamp(WIDTHS), style: Reports::Style.for(@console.out, @console.env))
        end

        def json(result)
          require_relative "../../lab/jobs/json"
          Holdup::Lab::Jobs::Json.new(result, words: @words)
        end

        def progress(threads, number, of)
          @console.pass(@words.call(:lab_jobs_progress, number:, of:, threads:))
        end
      end
    end
  end
end
