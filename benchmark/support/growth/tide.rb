# frozen_string_literal: true

module Bench
  module Growth
    # Work that comes and goes, as over a day: without that, one recording does not show what
    # concurrency costs.
    class Tide
      # Jobs per second of one phase after the other, independent of each other: concurrent and alone, rested
      # and not, in each mixture.
      RATES = [50, 75, 95, 110, 125, 140].freeze
      PHASE_S = 2
      PAUSE_S = 0.01

      # @param queue [Holdup::Lab::Redis::JobQueue]
      # @param work [Holdup::Lab::Jobs::JobSequence]
      def initialize(queue, work)
        @queue = queue
        @work = work
        @random = Random.new(1)
        @due_s = 0.0
      end

      # @return [Float] until it has to look again; jobs that were put in together would begin together
      def pause_s = PAUSE_S

      # Puts in what has become due.
      # @return [void]
      def fill
        while @due_s < elapsed_s
          kind = @work.next
          @queue.push(kind.name, *kind.arguments)
          @due_s += -Math.log(1 - @random.rand) / RATES[(@due_s / PHASE_S).floor % RATES.size]
        end
      end

      private

      def elapsed_s
        now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        now - (@started ||= now)
      end
    end
  end
end
