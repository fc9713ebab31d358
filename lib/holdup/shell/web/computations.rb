# frozen_string_literal: true

module Holdup
  class Web
    # Computes results of the pages that take seconds, in the background, and keeps them in memory: the same
    # question in another language or as a file needs no new computation. Clients wait for a moment, then are
    # told how far it is.
    class Computations
      # How long a page waits for a quick result before it shows progress.
      PATIENCE_S = 0.25
      # A program that asks for a file can't show progress.
      FILE_PATIENCE_S = 20
      # Minimum and maximum delay before the client asks again.
      AGAIN_S = 1..5

      # A pending result. `ahead`: number of questions before it, nil if the queue is full; `step`:
      # current activity; `expected_s`: duration of the last run, nil before the first
      Wait = Data.define(:ahead, :elapsed_s, :step, :expected_s) do
        def full? = ahead.nil?

        # @return [Integer] of HTTP
        def status
          full? ? 503 : 202
        end

        # @return [Float, nil] estimated fraction done; nil before its turn or without an estimate
        def share
          (elapsed_s && expected_s&.positive?) ? (elapsed_s / expected_s).clamp(0.0, 1.0) : nil
        end

        # @return [Float, nil] estimated remaining time
        def rest_s
          return if full? || expected_s.nil?
          [expected_s * (ahead + 1) - elapsed_s.to_f, 0.0].max
        end

        # @return [Integer] when to ask again
        def again_s
          full? ? AGAIN_S.end : (rest_s.to_f / 5).ceil.clamp(AGAIN_S)
        end
      end

      # @param patience_s [Numeric, nil] nil: no limit, for files too
      # @param priority [Integer] of the computing threads
      # @param room [Integer] questions that may wait
      def initialize(clock:, patience_s: PATIENCE_S, priority: 0, room: ComputationQueue::ROOM)
        @clock = clock
        @patience_s = patience_s
        @results = Queries::KeptResults::InMemory.new(clock:)
        @queues = Hash.new { |queues, page| queues[page] = ComputationQueue.new(clock:, room:, priority:) }
        @lock = Mutex.new
        @took_s = {}
        @file = Mutex.new
      end

      # @return [Queries::KeptResults::InMemory]
      attr_reader :results

      # Computes nothing.
      # @return [Queries::KeptResults::KeptResult, Wait] see ask
      # @raise [StandardError]
      def look(question, version)
        @results.find(question, version) ||
          Wait.new(ahead: 0, elapsed_s: nil, step: nil, expected_s: took_s(question))
      end

      # @param question [Queries::Question] each command has its own queue
      # @param version [Object] of the data that it is computed from
      # @param file [Boolean] whether a program asks, which can wait longer
      # @yieldparam step [#call] takes the current activity
      # @yieldreturn [Object] the result
      # @return [Queries::KeptResults::KeptResult, Wait]
      # @raise [StandardError] the error of the computation
      def ask(question, version, file: false, &work)
        found = @results.find(question, version)
        return found if found
        queue = @lock.synchronize { @queues[question.command] }
        place = queue.join(question) { |step| compute(question, version, step, &work) }
        return Wait.new(ahead: nil, elapsed_s: nil, step: nil, expected_s: took_s(question)) unless place
        await(queue, question, file)
        @results.find(question, version) || wait(question, queue.place_of(question) || place)
      end

      private

      # Only one program may hold a thread of the server for that long.
      def await(queue, question, file)
        return queue.await(question, @patience_s) unless file && @patience_s && @file.try_lock
        begin
          queue.await(question, FILE_PATIENCE_S)
        ensure
          @file.unlock
        end
      end

      def wait(question, place)
        Wait.new(ahead: place.ahead, elapsed_s: place.elapsed_s, step: place.step,
          expected_s: took_s(question))
      end

      def took_s(question) = @lock.synchronize { @took_s[question.command] }

      # Another thread may have computed it since it was requested.
      def compute(question, version, step)
        return if @results.known?(question, version)
        began_ns = @clock.monotonic_ns
        value = yield step
        took_s = since_s(began_ns)
        @lock.synchronize { @took_s[question.command] = took_s }
        @results.keep(question, version, value:, took_s:)
      rescue StandardError, ScriptError => error
        @results.keep(question, version, error:, took_s: since_s(began_ns))
      end

      def since_s(began_ns) = (@clock.monotonic_ns - began_ns).fdiv(NS)
    end

    # Questions that take a CPU for seconds. They are computed one at a time, each in its own thread, so
    # several readers do not take several CPUs from the application. Equal questions are computed once,
    # however many ask.
    #
    # Waiting clients poll; a page does so by itself. A question without polls is dropped before its turn, and
    # stopped midway if others wait.
    class Computations::ComputationQueue
      # Distinct questions that may wait.
      ROOM = 100
      # The client counts as gone after this time without a poll.
      LEFT_S = 15

      # `ahead`: number of questions before it, 0 while it is computed; `elapsed_s`: since its start, nil
      # before; `step`: latest activity that its computation reported, nil before
      QueuePosition = Data.define(:ahead, :elapsed_s, :step)

      QueuedQuestion = Struct.new(:work, :asked_ns, :begun_ns, :thread, :step)
      private_constant :QueuedQuestion

      # @param priority [Integer] of the computing threads
      def initialize(clock:, room: ROOM, priority: 0)
        @clock = clock
        @room = room
        @priority = priority
        @lock = Mutex.new
        @left = ConditionVariable.new
        @questions = {}
      end

      # @param key [Object] identity of the question
      # @yieldparam step [#call] takes the current activity
      # @return [QueuePosition, nil] nil if the queue is full
      def join(key, &work)
        @lock.synchronize do
          forget
          question = @questions[key] || enter(key, work)
          return unless question
          question.asked_ns = @clock.monotonic_ns
          begin_next
          stop_abandoned
          place(key, question)
        end
      end

      # @return [QueuePosition, nil] nil if it is not in the queue
      def place_of(key)
        @lock.synchronize do
          question = @questions[key]
          question && place(key, question)
        end
      end

      # Waits until the question leaves the queue.
      # @param seconds [Numeric, nil] at most; nil: no limit
      def await(key, seconds)
        deadline_s = seconds && monotonic_s + seconds
        @lock.synchronize do
          while @questions.key?(key)
            rest_s = deadline_s && deadline_s - monotonic_s
            break if rest_s && rest_s <= 0
            @left.wait(@lock, rest_s)
          end
        end
      end

      private

      # Patience is real time, even in tests that set the clock.
      def monotonic_s
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end

      def enter(key, work)
        return if running && waiting.size >= @room
        @questions[key] = QueuedQuestion.new(work:)
      end

      def running = @questions.each_value.find(&:thread)

      def waiting
        @questions.reject { |_, question| question.thread }
      end

      def place(key, question)
        unless question.thread
          return QueuePosition.new(ahead: waiting.keys.index(key) + 1, elapsed_s: nil, step: nil)
        end
        elapsed_s = (@clock.monotonic_ns - question.begun_ns).fdiv(NS)
        QueuePosition.new(ahead: 0, elapsed_s:, step: question.step)
      end

      def begin_next
        return if running
        key, question = waiting.first
        return unless question
        question.begun_ns = @clock.monotonic_ns
        question.thread = Thread.new { compute(key, question) }
        question.thread.report_on_exception = false
      end

      def compute(key, question)
        Thread.current.name = "holdup-page"
        Thread.current.priority = @priority
        question.work.call(->(step) { question.step = step })
      ensure
        finish(key)
      end

      def finish(key)
        @lock.synchronize do
          @questions.delete(key)
          @left.broadcast
          forget
          begin_next
        end
      end

      # A dead thread that is still listed was left behind in the parent when this process was forked.
      def forget
        @questions.delete_if { |_, question| question.thread ? !question.thread.alive? : left?(question) }
      end

      def stop_abandoned
        question = running
        question.thread.kill if question && left?(question) && waiting.any?
      end

      def left?(question)
        question.asked_ns < @clock.monotonic_ns - LEFT_S * NS
      end
    end
  end
end
