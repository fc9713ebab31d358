# frozen_string_literal: true

require "etc"

module Holdup
  module Advise
    # KeepCommand, change, or can't say, with the evidence.
    class RecommendCommand
      # What is asked: which recording, within which limits, and what counts as better.
      #
      # - `from_s`, `to_s`: seconds since 1970; `queue`: of jobs, sizes the processes that serve it
      # - `factor`: of the recorded load; `memory`: bytes of a host; `connections`: of the database server
      # - `prices`: nil: fleets are not compared
      RecordingQuestion = Data.define(:from_s, :to_s, :store, :origin, :kind, :queue, :objective, :factor,
        :vcpus, :memory, :connections, :warm_up_s, :within_s, :prices) do
        def span = {from_s:, to_s:}

        # @return [Hash{Symbol => Object}] for Reader
        def sizing
          given = {vcpus:, memory_limit_bytes: memory, connections:}
          {kind:, factor:, objective:, given:, warm_up_s:}
        end
      end

      # How the answer is shown.
      #
      # - `out`, `save`: files that it is written to; `save` is for `--verify`, in addition to the output
      # - `full`: whether a text has all tables, not only one screen; `wide`: whether it cuts no name
      # - `fresh`: whether it is computed even if the store keeps the answer
      # - `language`: nil: that of the environment
      # - `given`: options for the next commands, see Report::AdviceScreen
      AdviceOutput = Data.define(:format, :limit, :out, :save, :full, :wide, :fresh, :language, :given)

      class << self
        # @param given [CLI::GivenOptions]
        # @return [Hash{Symbol => Object}] of `new`
        # @raise [UsageError] options contradict each other
        def keywords(given, console)
          check(given.values)
          {question: question(given, console), output: output(given)}
        end

        private

        def check(values)
          if values.key?(:queue) && values[:kind] == :request
            raise UsageError.new("--queue is for jobs", "leave out --kind request")
          end
          if values.key?(:within_s) && !of_jobs?(values)
            raise UsageError.new("--within is for jobs", "add --kind job")
          end
          return unless values[:objective] == :throughput && !of_jobs?(values)
          raise UsageError.new("--objective throughput is for jobs",
            "add --kind job; requests arrive by themselves")
        end

        def of_jobs?(values) = values[:kind] == :job || values.key?(:queue)

        def question(given, console)
          values = given.with_defaults
          kind = of_jobs?(values) ? :job : :request
          objective = values.fetch(:objective) { (kind == :job) ? :throughput : :latency }
          RecordingQuestion.new(
            **SizingOptions.span_of(values, given.now_s),
            store: values[:store],
            origin: values.fetch(:origin) { Queries::Origin.new },
            kind:,
            queue: values[:queue],
            objective: Sizing::Objective.new(name: objective, slo: values.fetch(:slo) { Sizing::Slo.new }),
            vcpus: values[:vcpus],
            memory: values[:memory],
            connections: values[:connections],
            within_s: values.fetch(:within_s, Sizing::JobDeadlines::WITHIN_S),
            prices: values.fetch(:prices) { prices(console.env) },
            warm_up_s: values[:warm_up_s],
            **values.slice(:factor)
          )
        end

        def prices(env)
          prices = Configuration.build(env: Configuration.readable(env)).prices
          prices && Sizing::CheapestFleet::FleetPrices.of(prices)
        end

        def output(given)
          values = given.with_defaults
          # Rows are of a table that the screen does not have.
          full = values.key?(:full) || given.values.key?(:limit)
          next_commands = {
            **given.for_commands(Report::AdviceScreen::COMMANDS),
            "advise" => given.again,
            "verify" => given.taken_by(VerifyCommand::OPTIONS)
          }
          AdviceOutput.new(
            full:,
            wide: values.key?(:wide),
            fresh: values.key?(:fresh),
            given: next_commands,
            **%i[out save language].to_h { |key| [key, values[key]] },
            **values.slice(:format, :limit)
          )
        end
      end

      # @param question [RecordingQuestion]
      # @param output [AdviceOutput]
      def initialize(console:, question:, output:)
        @console = console
        @question = question
        @output = output
        @destination = CLI::Formats::Destination.new(console, file: output.out, format: output.format)
        @save = CLI::Formats::Destination.new(console, file: output.save, option: "--save") if output.save
        @words = View::Words.new(output.language || CLI::Places.language(console.env))
      end

      def run
        kept = @output.fresh ? nil : kept_result
        kept ? write(kept.value, about: [age(kept)]) : write(compute)
        CLI::OK
      end

      # @return [Reader]
      def read(store)
        queue = @question.queue
        owner = queue && Reader::QueueOwner.new(store, **@question.span, queue:)
        Reader.new(store, **@question.span, **@question.sizing, setting: owner&.setting,
          pool: owner&.pool, cpus: Etc.nprocessors) { |summary| Rules.parts(summary) }
      end

      # @param sized [Reader]
      # @return [AdviceAnswer]
      def answer(sized)
        AdviceAnswer.of(situation(sized), span: @question.to_h.slice(:kind, :from_s, :to_s),
          **@question.to_h.slice(:within_s, :prices))
      end

      # @return [Queries::Question]
      def question
        asked = @question.to_h.slice(:kind, :objective, :factor, :warm_up_s, :queue, :within_s, :prices)
        AdviceQuestion.of(span: @question.from_s..@question.to_s, **asked,
          **@question.sizing.fetch(:given), **@question.origin.limits)
      end

      private

      # @return [Queries::KeptResults::KeptResult, nil]
      def kept_result
        now_s = @console.clock.realtime_s
        return unless (now_s - @question.to_s).between?(0, 1)
        CLI::Places.reading(@console.env, @question.store) do |store|
          Queries::KeptResults::InStore.new(store, json: AnswerJson).find(question, now_s)
        end
      end

      def age(kept) = Report.age(kept, words: @words, now_s: @console.clock.realtime_s)

      # Replays take seconds; nobody waits for the store meanwhile.
      def compute
        sized = CLI::Places.reading(@console.env, @question.store, origin: @question.origin) do |store|
          read(Queries::RequestCache.new(store))
        end
        answer(sized)
      end

      def situation(sized)
        lines = Command::SourceLines.new
        Rules::Situation.new(
          summary: sized.summary,
          recommendation: sized.recommendation,
          levers: Rules::ServerLevers.new(sized.lately, lines:),
          pool: sized.pool,
          files: lines.method(:all)
        )
      end

      # One read serves both outputs, because a collector may write to the store between two reads.
      def write(answer, about: [])
        @save&.write(json(answer))
        @destination.write((@output.format == :json) ? json(answer) : rendered(answer, about))
      end

      # A kept answer is of an earlier span than the one that was asked about.
      def rendered(answer, about)
        span = answer.to_h.slice(:from_s, :to_s)
        again = SizingOptions.again(**span, origin: @question.origin, store: @question.store)
        options = {words: @words, about:, again:, span: SizingOptions.span_text(**span),
                   limit: @output.limit}
        if @output.format == :text && !@output.full
          screen = Report::AdviceScreen.new(answer, given: @output.given, **options)
          return CLI::Formats.screen(screen, console: @console, wide: @output.wide)
        end
        CLI::Formats.render(Report.new(answer, **options).page, console: @console, words: @words,
          **@output.to_h.slice(:format, :wide))
      end

      def json(answer)
        JsonAdvice.new(answer, warm_up_s: @question.warm_up_s, **@question.origin.limits).call
      end
    end
  end
end
