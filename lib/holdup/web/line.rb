# frozen_string_literal: true

module Holdup
  class Web
    # Questions that take a CPU for seconds, answered one after the other, each in a thread of its own: two people who ask at
    # once do not take twice as much from the application. Whoever asks the same gets the same answer.
    #
    # Who waits asks again and again (a page does so by itself). That is also what makes the line move: whoever comes begins
    # what is next. Who has not come for a while has left, and is not worked for.
    class Line
      # So many may wait.
      ROOM = 4
      LEFT_S = 10
      # Nobody came for the answer any more.
      KEPT_S = 60
      NS = 1_000_000_000

      # `work`: what answers it; `thread`: nil before its turn; `asked_ns`: when somebody last came for it
      Question = Struct.new(:work, :thread, :asked_ns)
      private_constant :Question

      # @param clock [#monotonic_ns]
      def initialize(clock:)
        @clock = clock
        @lock = Mutex.new
        @questions = {}
      end

      # @param asked [Object] what makes it another question
      # @yieldreturn [Object] the answer, in a thread of its own
      # @return [Thread, Integer, nil] its thread from its turn on; before, how many come first; nil where there is no room
      def join(asked, &work)
        @lock.synchronize do
          now_ns = @clock.monotonic_ns
          forget(now_ns)
          question = @questions[asked] || (enter(asked, work) if room?) or return
          question.asked_ns = now_ns
          begin_next unless busy?
          question.thread || ahead(asked)
        end
      end

      # The answer was taken.
      # @return [void]
      def leave(asked) = @lock.synchronize { @questions.delete(asked) }

      private

      def enter(asked, work) = @questions[asked] = Question.new(work:)

      def busy? = @questions.each_value.any? { |question| question.thread&.alive? }

      def waiting = @questions.reject { |_, question| question.thread }

      def room? = !busy? || waiting.size < ROOM

      def ahead(asked) = waiting.keys.index(asked) + 1

      def begin_next
        question = waiting.each_value.first or return
        question.thread = Thread.new(&question.work)
        question.thread.name = "holdup-page"
        question.thread.report_on_exception = false
      end

      # What is being worked out stays: it would begin anew.
      def forget(now_ns)
        @questions.delete_if do |_, question|
          next question.asked_ns < now_ns - LEFT_S * NS unless question.thread
          question.asked_ns < now_ns - KEPT_S * NS && !question.thread.alive?
        end
      end
    end
  end
end
