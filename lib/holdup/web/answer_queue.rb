# frozen_string_literal: true

module Holdup
  class Web
    # Questions that take a CPU for seconds. They are computed one at a time, each in its own thread, so
    # several readers do not take several CPUs from the application. Equal questions are computed once.
    # once, however many ask it.
    #
    # Waiting clients poll; a page does so by itself. A question without polls is dropped before its turn, and
    # stopped midway if others wait.
    class AnswerQueue
      # Distinct questions that may wait.
      ROOM = 100
      # After this time without a poll, the client counts as gone.
      LEFT_S = 15
      NS = 1_000_000_000

      # `ahead`: number of questions before it, 0 while it is computed; `elapsed_s`: since its start, nil
      # before; `step`: latest activity that its computation reported, nil before
      QueuePosition = Data.define(:ahead, :elapsed_s, :step)

      Question = Struct.new(:work, :asked_ns, :begun_ns, :thread, :step)
      private_constant :Question

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
        @questions[key] = Question.new(work:)
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
