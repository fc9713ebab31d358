# frozen_string_literal: true

module Holdup
  class Web
    # What the pages that take seconds have computed: kept by question and by the state of the store it was
    # computed from, so that asking again, in another language or as a file, computes nothing.
    class AnswerCache
      # A page waits so long for what is quick; after that it shows how far it is.
      PATIENCE_S = 0.25
      # A program that asks for a file has no page to look at meanwhile.
      FILE_PATIENCE_S = 20
      # So many are kept, those that were asked for last.
      SIZE = 16
      KEPT_S = 3600
      # Figures may come in while it is computed. Whoever waited gets what was computed for them.
      GRACE_S = 30
      # What fails for one fails for everybody who waits for it, and is tried again after that.
      FAILED_S = 5
      NS = 1_000_000_000
      # When to ask again, at the earliest and at the latest.
      AGAIN_S = 1..5

      # `version`: of what it was computed from; `value`, or the `error` that it ended with; `at_s`: when,
      # since 1970
      Answer = Data.define(:version, :value, :error, :at_s, :done_ns, :took_ns)

      # There is no answer yet. `ahead`: so many questions come first, nil when there is no room in the queue;
      # `step`: what is being done; `expected_s`: how long it took the last time, nil when it never did
      Wait = Data.define(:ahead, :elapsed_s, :step, :expected_s) do
        # @return [Boolean]
        def full? = ahead.nil?

        # @return [Integer] of HTTP
        def status
          full? ? 503 : 202
        end

        # @return [Float, nil] of it that is done, about; nil before its turn and when nothing tells
        def share
          (elapsed_s && expected_s&.positive?) ? (elapsed_s / expected_s).clamp(0.0, 1.0) : nil
        end

        # @return [Float, nil] until it is there
        def rest_s
          return if full? || expected_s.nil?
          [expected_s * (ahead + 1) - elapsed_s.to_f, 0.0].max
        end

        # @return [Integer] when to ask again
        def again_s
          full? ? AGAIN_S.end : (rest_s.to_f / 5).ceil.clamp(AGAIN_S)
        end
      end

      # @param clock [Clock]
      # @param patience_s [Numeric, nil] nil: as long as it takes, for files too
      # @param priority [Integer] of the threads that compute
      # @param room [Integer] questions that may wait
      def initialize(clock:, patience_s: PATIENCE_S, priority: 0, room: AnswerQueue::ROOM)
        @clock = clock
        @patience_s = patience_s
        @queues = Hash.new { |queues, page| queues[page] = AnswerQueue.new(clock:, room:, priority:) }
        @lock = Mutex.new
        @kept = {}
        @took_ns = {}
        @file = Mutex.new
      end

      # Computes nothing.
      # @return [Answer, Wait] see ask
      # @raise [StandardError]
      def look(page, question, version)
        found = kept(page, question, version)
        found ? taken(found) : Wait.new(ahead: 0, elapsed_s: nil, step: nil, expected_s: took_s(page))
      end

      # @param page [String] pages have a queue each
      # @param question [Object] all that makes it another answer, but for what the store has
      # @param version [Object] of what the store has
      # @param file [Boolean] whether a program asks, which can wait for longer
      # @yieldparam step [#call] takes what is being done
      # @yieldreturn [Object] the answer
      # @return [Answer, Wait]
      # @raise [StandardError] what the computation failed with
      def ask(page, question, version, file: false, &work)
        found = kept(page, question, version)
        return taken(found) if found
        queue = @lock.synchronize { @queues[page] }
        place = queue.join(question) { |step| compute(page, question, version, step, &work) }
        return Wait.new(ahead: nil, elapsed_s: nil, step: nil, expected_s: took_s(page)) unless place
        await(queue, question, file)
        found = kept(page, question, version)
        found ? taken(found) : wait(page, queue.place_of(question) || place)
      end

      # @return [Answer, nil] without computing anything
      def kept(page, question, version = nil)
        @lock.synchronize do
          found = @kept.delete([page, question])
          next unless found && !old?(found)
          @kept[[page, question]] = found
          found if version.nil? || fresh?(found, version)
        end
      end

      private

      def taken(kept)
        kept.error ? raise(kept.error) : kept
      end

      # Only one program may hold a thread of the server for that long.
      def await(queue, question, file)
        return queue.await(question, @patience_s) unless file && @patience_s && @file.try_lock
        begin
          queue.await(question, FILE_PATIENCE_S)
        ensure
          @file.unlock
        end
      end

      def wait(page, place)
        Wait.new(ahead: place.ahead, elapsed_s: place.elapsed_s, step: place.step, expected_s: took_s(page))
      end

      def took_s(page)
        @lock.synchronize { @took_ns[page] }&.fdiv(NS)
      end

      # It may have been computed since it was asked for.
      def compute(page, question, version, step)
        return if kept(page, question, version)
        begun_ns = @clock.monotonic_ns
        value = yield step
        keep(page, question, version, begun_ns, value:)
      rescue StandardError, ScriptError => error
        keep(page, question, version, begun_ns, error:)
      end

      def keep(page, question, version, begun_ns, value: nil, error: nil)
        done_ns = @clock.monotonic_ns
        took_ns = done_ns - begun_ns
        @lock.synchronize do
          @took_ns[page] = took_ns unless error
          at_s = @clock.realtime_ns / NS
          @kept[[page, question]] = Answer.new(version:, value:, error:, at_s:, done_ns:, took_ns:)
          @kept.shift while @kept.size > SIZE
        end
      end

      def old?(kept)
        age_ns(kept) > (kept.error ? FAILED_S : KEPT_S) * NS
      end

      def fresh?(kept, version)
        kept.error || kept.version == version || age_ns(kept) <= GRACE_S * NS
      end

      def age_ns(kept) = @clock.monotonic_ns - kept.done_ns
    end
  end
end
