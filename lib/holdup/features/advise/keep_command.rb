# frozen_string_literal: true

module Holdup
  module Advise
    # Computes what the store is to keep ready, one answer at a time: that which has been due for longest, or
    # what came of a change of the size. A collector runs this now and then.
    class KeepCommand
      SPANS = %w[24h 30d].freeze
      KINDS = %i[request job].freeze
      OPTIONS = CLI::Options.new("holdup advise --keep [options]", [
        *Command::OPTIONS.only("keep"), *CLI::Formats.options(Command::FORMATS),
        CLI::Options::STORE, CLI::Options::LANGUAGE
      ])

      # `since`: one of SPANS; `due_s`: second since which it is
      KeptQuestion = Data.define(:since, :kind, :advise, :due_s)
      # `change`: SizeChanges::SizeChange; `due_s`: second from which on it can be judged
      DueChange = Data.define(:kind, :change, :due_s)
      # Readers notice an answer that has been due for longer; an outcome can wait.
      LATE_S = 900
      private_constant :KeptQuestion, :DueChange, :LATE_S

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
          KINDS.each { |kind| renew_judged_changes(kind, store) }
          first, *others = in_order(questions(store) + changes(store))
          done = keep(first, store) if first.due_s <= now_s
          write(first, done, next_s: others.map(&:due_s).min)
        end
        CLI::OK
      end

      private

      def now_s = @console.clock.realtime_s

      def renew_judged_changes(kind, store)
        renewed = OutcomeReader.new(store, kind:, now_s:).judged_changes.renewed(at_s: now_s)
        store.keep_answer(renewed) if renewed
      end

      def in_order(tasks)
        tasks.sort_by.with_index { |task, index| [urgent_s(task), index] }
      end

      def urgent_s(task)
        task.is_a?(DueChange) ? [task.due_s, now_s - LATE_S].max : task.due_s
      end

      def questions(store)
        at_s = now_s
        SPANS.product(KINDS).map do |since, kind|
          argv = ["--since", since, *(["--kind", kind.name] unless kind == KINDS.first)]
          given = Command::OPTIONS.parse(argv, now_s: at_s)
          advise = RecommendCommand.new(console: @console, **RecommendCommand.keywords(given, @console))
          KeptQuestion.new(since:, kind:, advise:, due_s: results(store).due_s(advise.question))
        end
      end

      def changes(store)
        KINDS.flat_map do |kind|
          pending = OutcomeReader.new(store, kind:, now_s:).pending
          pending.map { |change| DueChange.new(kind:, change:, due_s: change.ready_s) }
        end
      end

      def results(store) = Queries::KeptResults::InStore.new(store, json: AnswerJson)

      # @return [JudgedChanges::JudgedChange, nil] of a change
      def keep(task, store)
        task.is_a?(DueChange) ? keep_outcome(task, store) : keep_answer(task, store)
      end

      # A run that fails, or that the system ends, is not tried again.
      def keep_outcome(due, store)
        reader = OutcomeReader.new(store, kind: due.kind, now_s:)
        keep_judged(due, reader, store, reason: :failed)
        found = reader.judge(due.change)
        reason = found if found.is_a?(Symbol)
        store.keep(found) unless reason
        keep_judged(due, reader, store, reason:)
      end

      # @return [JudgedChanges::JudgedChange]
      def keep_judged(due, reader, store, reason:)
        judged = JudgedChanges::JudgedChange.of(due.change, reason:)
        store.keep_answer(reader.judged_changes.adding(judged, at_s: now_s))
        judged
      end

      # That nothing was recorded, or that it failed, is kept too: the others have their turn first.
      # @return [nil]
      def keep_answer(question, store)
        began_ns = @console.clock.monotonic_ns
        answer = question.advise.answer(question.advise.read(Queries::RequestCache.new(store)))
        took_s = (@console.clock.monotonic_ns - began_ns) / 1_000_000_000
        write_result(question, store, (answer if answer.result), took_s)
        nil
      rescue
        write_result(question, store, nil, 0)
        raise
      end

      def write_result(question, store, answer, took_s)
        results(store).keep(question.advise.question, answer, at_s: now_s, took_s:)
      end

      # @param judged [JudgedChanges::JudgedChange, nil] of a change that was judged
      def write(task, judged, next_s:)
        next_s = [next_s, *again_s(task)].min
        text = (@format == :json) ? json(task, judged, next_s) : sentence(task, judged, next_s)
        @console.out.write("#{text}\n")
      end

      # @return [Array<Integer>] when the task is due again; empty for a change that was judged
      def again_s(task)
        return [task.due_s] if task.due_s > now_s
        return [] if task.is_a?(DueChange)
        [Queries::KeptResults::AgeLimits.due_s(task.advise.question, now_s)]
      end

      def json(task, judged, next_s)
        {kept: (kept(task, judged) if task.due_s <= now_s), next_s:}.to_json
      end

      def kept(task, judged)
        judged ? {kind: task.kind, **judged.to_h.except(:key)} : task.to_h.slice(:since, :kind)
      end

      def sentence(task, judged, next_s)
        done = (task.due_s > now_s) ? @words.call(:advice_keep_none) : done(task, judged)
        rest_s = next_s - now_s
        return @words.call(:advice_keep_more, done:) unless rest_s.positive?
        @words.call(:advice_keep_next, done:, rest: View::Figures.rough(rest_s * 1_000_000_000))
      end

      def done(task, judged)
        units = @words.units(task.kind)
        return @words.call(:advice_keep_done, kind: units, span: task.since) unless judged
        sentence = JudgedChangeText.new(@words).call(judged)
        @words.call(:advice_keep_judged, kind: units, sentence:)
      end
    end
  end
end
