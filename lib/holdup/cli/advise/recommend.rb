# frozen_string_literal: true

require "etc"

module Holdup
  class CLI
    class Advise
      # Keep, change, or can't say, with the evidence.
      class Recommend
        # What is asked: which recording, within which limits, and what counts as better.
        #
        # - `from_s`, `to_s`: seconds since 1970; `queue`: of jobs, sizes the processes that serve it
        # - `factor`: of the recorded load; `memory`: bytes of a host; `connections`: of the database server
        # - `prices`: nil: fleets are not compared
        RecordingQuestion = Data.define(:from_s, :to_s, :store, :origin, :kind, :queue, :objective, :factor,
          :vcpus, :memory, :connections, :warm_up_s, :within_s, :prices) do
          def span = {from_s:, to_s:}

          # @return [Hash{Symbol => Object}] for Queries::SizingInputs
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
        # - `given`: options for the next commands, see View::Advice::AdviceScreen
        AdviceOutput = Data.define(:format, :limit, :out, :save, :full, :wide, :fresh, :language, :given)

        class << self
          # @param given [GivenOptions]
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
              objective: Sizing::Objective.new(objective, slo: values.fetch(:slo) { Sizing::Slo.new }),
              vcpus: values[:vcpus],
              memory: values[:memory],
              connections: values[:connections],
              within_s: values.fetch(:within_s, Sizing::JobDeadlines::WITHIN_S),
              prices: values.fetch(:prices) { prices(console.env) },
              **values.slice(:factor, :warm_up_s)
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
              **given.for_commands(View::Advice::AdviceScreen::COMMANDS),
              "advise" => given.again,
              "verify" => given.taken_by(Verify::OPTIONS)
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
          @destination = Formats::Destination.new(console, file: output.out, format: output.format)
          @save = Formats::Destination.new(console, file: output.save, option: "--save") if output.save
          @words = View::Words.new(output.language || Places.language(console.env))
        end

        def run
          kept = @output.fresh ? nil : kept_answer
          kept ? write_kept(kept) : write(*compute)
          OK
        end

        # @param store [Store::Sql]
        # @return [View::KeptAdvice, nil] of the same advice in all forms and languages; nil if nothing was
        #   recorded for it
        def kept(store)
          began_ns = @console.clock.monotonic_ns
          sized, findings = answer(*read(Queries::RequestCache.new(store)))
          return unless sized.recommendation
          json = json(sized, findings)
          took_s = (@console.clock.monotonic_ns - began_ns) / 1_000_000_000
          View::KeptAdvice.of(at_s: @console.clock.realtime_s, took_s:, json:) do |form, words|
            options = {words:, **options(sized)}
            options[:given] = @output.given if form <= View::Advice::AdviceScreen
            form.new(sized, findings, **options)
          end
        end

        # @return [View::KeptAdvice::AdviceQuestion]
        def question
          limit = @output.limit unless @output.limit == ROWS
          asked = @question.to_h.slice(:kind, :objective, :factor, :warm_up_s, :queue, :within_s, :prices)
          View::KeptAdvice::AdviceQuestion.of(span: @question.from_s..@question.to_s, limit:, **asked,
            **@question.sizing.fetch(:given), **@question.origin.limits)
        end

        private

        # @return [View::KeptAdvice, nil]
        def kept_answer
          now_s = @console.clock.realtime_s
          return unless (now_s - @question.to_s).between?(0, 1)
          Places.reading(@console.env, @question.store) { |store| question.find(store, now_s) }
        end

        def write_kept(kept)
          @save&.write(kept.json)
          @destination.write((@output.format == :json) ? kept.json : rendered_kept(kept))
        end

        def rendered_kept(kept)
          now_s = @console.clock.realtime_s
          if @output.format == :text && !@output.full
            screen = kept.screen(@words, now_s:, options: @output.given.fetch("doctor"))
            return Formats.screen(screen, console: @console, wide: @output.wide)
          end
          render(kept.report(@words, now_s:))
        end

        # @return [Array(Queries::SizingInputs, Array<Finding>)]
        def compute
          inputs = Places.reading(@console.env, @question.store, origin: @question.origin) do |store|
            read(Queries::RequestCache.new(store))
          end
          answer(*inputs)
        end

        def answer(sized, pool)
          [sized, Advice.call(situation(sized, pool))]
        end

        # @return [Array(Queries::SizingInputs, Object)] and the pool of the queue
        def read(store)
          queue = @question.queue
          owner = queue && Queries::SizingInputs::QueueOwner.new(store, **@question.span, queue:)
          pool = owner&.pool
          inputs = Queries::SizingInputs.new(store, **@question.span, **@question.sizing,
            setting: owner&.setting, pool:, cpus: Etc.nprocessors)
          [inputs, pool]
        end

        def situation(sized, pool)
          lines = SourceLines.new
          Advice::Situation.new(
            summary: sized.summary,
            recommendation: sized.recommendation,
            levers: Advice::ServerLevers.new(sized.lately, lines:),
            pool:,
            files: lines.method(:all)
          )
        end

        # One read serves both outputs, because a collector may write to the store between two reads.
        def write(sized, findings)
          @save&.write(json(sized, findings))
          @destination.write((@output.format == :json) ? json(sized, findings) : rendered(sized, findings))
        end

        def rendered(sized, findings)
          options = {words: @words, **options(sized)}
          if @output.format == :text && !@output.full
            screen = View::Advice::AdviceScreen.new(sized, findings, given: @output.given, **options)
            return Formats.screen(screen, console: @console, wide: @output.wide)
          end
          advice = View::Advice.new(sized, findings, **options)
          render(advice.page)
        end

        def render(page)
          Formats.render(page, console: @console, words: @words, **@output.to_h.slice(:format, :wide))
        end

        def options(sized)
          {span: SizingOptions.span_text(**@question.span), again:, limit: @output.limit, fleet: fleet(sized),
           **@question.to_h.slice(:kind, :within_s)}
        end

        def json(sized, findings)
          asked = @question.to_h.slice(:from_s, :to_s, :kind, :warm_up_s, :within_s)
          View::JsonAdvice.new(sized.recommendation, findings, fleet: fleet(sized), **asked,
            **@question.origin.limits).call
        end

        # One for all outputs, because its replays take seconds.
        def fleet(sized)
          prices = @question.prices or return
          @fleet ||= Sizing::CheapestFleet.new(sized.recommendation, prices:)
        end

        def again
          SizingOptions.again(**@question.span, origin: @question.origin, store: @question.store)
        end
      end
    end
  end
end
