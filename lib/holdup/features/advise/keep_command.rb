# frozen_string_literal: true

module Holdup
  module Advise
    # Computes what the store is to keep ready, one answer at a time: that which has been due for longest. A
    # collector runs this now and then.
    class KeepCommand
      SPANS = %w[24h 30d].freeze
      KINDS = %i[request job].freeze
      OPTIONS = CLI::Options.new("holdup advise --keep [options]", [
        *Command::OPTIONS.only("keep"), *CLI::Formats.options(Command::FORMATS),
        CLI::Options::STORE, CLI::Options::LANGUAGE
      ])

      # `since`: one of SPANS; `due_s`: second since which it is
      KeptQuestion = Data.define(:since, :kind, :advise, :due_s)
      private_constant :KeptQuestion

      # @param given [CLI::GivenOptions]
      # @return [Hash{Symbol => Object}] of `new`
      # @raise [UsageError] it takes no other options
      def self.keywords(given, _console)
        others = given.unknown_to(OPTIONS)
        if others.any?
          raise UsageError.new("--keep can't be combined with #{others.join(", ")}",
            "leave them out: it computes what every collector keeps")
        end
        {format: given.with_defaults[:format], **given.values.slice(:store, :language)}
      end

      # @param format [Symbol] :text, :json
      def initialize(console:, format: :text, store: nil, language: nil)
        @console = console
        @store = store
        @format = format
        @words = View::Words.new(language || CLI::Places.language(console.env))
      end

      def run
        CLI::Places.writing(@console.env, @store) do |store|
          first, second = questions(store).sort_by.with_index { |question, index| [question.due_s, index] }
          keep(first, store) if first.due_s <= now_s
          write(first, next_s: second.due_s)
        end
        CLI::OK
      end

      private

      def now_s = @console.clock.realtime_s

      def questions(store)
        at_s = now_s
        SPANS.product(KINDS).map do |since, kind|
          argv = ["--since", since, *(["--kind", kind.name] unless kind == KINDS.first)]
          given = Command::OPTIONS.parse(argv, now_s: at_s)
          advise = RecommendCommand.new(console: @console, **RecommendCommand.keywords(given, @console))
          KeptQuestion.new(since:, kind:, advise:, due_s: results(store).due_s(advise.question))
        end
      end

      def results(store) = Queries::KeptResults::InStore.new(store, json: AnswerJson)

      # That nothing was recorded, or that it failed, is kept too: the others have their turn first.
      def keep(question, store)
        began_ns = @console.clock.monotonic_ns
        answer = question.advise.answer(question.advise.read(Queries::RequestCache.new(store)))
        took_s = (@console.clock.monotonic_ns - began_ns) / 1_000_000_000
        write_result(question, store, (answer if answer.result), took_s)
      rescue
        write_result(question, store, nil, 0)
        raise
      end

      def write_result(question, store, answer, took_s)
        results(store).keep(question.advise.question, answer, at_s: now_s, took_s:)
      end

      def write(question, next_s:)
        kept = question.due_s <= now_s
        limits = Queries::KeptResults::AgeLimits
        again_s = kept ? limits.due_s(question.advise.question, now_s) : question.due_s
        next_s = [next_s, again_s].min
        text = (@format == :json) ? json(question, kept, next_s) : sentence(question, kept, next_s)
        @console.out.write("#{text}\n")
      end

      def json(question, kept, next_s)
        {kept: kept ? question.to_h.slice(:since, :kind) : nil, next_s:}.to_json
      end

      def sentence(question, kept, next_s)
        done = @words.call(:advice_keep_none)
        if kept
          done = @words.call(:advice_keep_done, kind: @words.units(question.kind), span: question.since)
        end
        rest_s = next_s - now_s
        return @words.call(:advice_keep_more, done:) unless rest_s.positive?
        @words.call(:advice_keep_next, done:, rest: View::Figures.rough(rest_s * 1_000_000_000))
      end
    end
  end
end
