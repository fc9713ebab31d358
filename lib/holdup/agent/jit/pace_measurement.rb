# frozen_string_literal: true

require_relative "workload"

module Holdup
  module Jit
    # How long the exercise takes beside the same work in the interpreter, in CPU time of this thread: for a
    # Ruby that does not count what its interpreter runs. Compiled code takes a third of it on Ruby 3.4,
    # spoiled code more than all of it (1.1 to 2.3 times as much).
    class PaceMeasurement
      # Turns are taken by both, so that what slows the machine down slows both.
      TRIES = 5
      TIMES = 50
      # A threshold below this would have the interpreter's part compiled.
      LOWEST_THRESHOLD = 2 * TRIES

      # @param cpu [#call] gives nanoseconds of CPU time
      def initialize(cpu: -> { Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond) })
        @cpu = cpu
      end

      # What disturbs a try makes it longer, so the shortest counts.
      # @return [Float]
      def ratio
        tries = Array.new(TRIES) { [compiled_ns, (interpreted_ns unless @interpreted_ns)] }
        @interpreted_ns ||= tries.map(&:last).min.clamp(1..)
        tries.map(&:first).min.fdiv(@interpreted_ns)
      end

      private

      def compiled_ns
        timed { Workload.run(TIMES) }
      end

      # Not more often than the first time: what is called a few times only is not compiled, however long it
      # runs.
      def interpreted_ns
        timed { Workload.interpreted(TIMES * Workload::TURNS) }
      end

      def timed
        before = @cpu.call
        yield
        @cpu.call - before
      end
    end
  end
end
