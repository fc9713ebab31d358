# frozen_string_literal: true

module Holdup
  class Runtime
    # A thread that calls a block at an interval; stopping takes effect at once.
    class Ticker
      NAME = "holdup"
      PATIENCE_S = 1
      # A tick takes about a millisecond, more on a busy machine.
      FORK_PATIENCE_S = 0.1
      # A thread that wakes up so soon may be awake during the fork.
      SOON_S = 0.01
      AWAKE_S = 0.0

      # @param guard [Guard] keeps the thread alive when a call fails
      def initialize(seconds:, guard:)
        @seconds = seconds
        @guard = guard
        @stopped = Queue.new
        @wakes_at_s = AWAKE_S
      end

      def start(&tick)
        @thread = Thread.new { run(tick) }
        @thread.name = NAME
        @thread.report_on_exception = false
        @thread.thread_variable_set(:fork_safe, true) # else Puma warns when it forks a loaded application
        self
      end

      def stop
        @stopped.close
        @thread&.join(PATIENCE_S) unless @thread.equal?(Thread.current)
      end

      # The thread ends after its current call, without waiting for it. Safe in a signal handler.
      def let_go = @stopped.close

      def alive?
        !!@thread&.alive? && !@stopped.closed?
      end

      # A fork waits for this: CRuby 3.4 can lose a child when a thread is just leaving a blocking region,
      # such as the files that a tick reads (docs/guide/fork-safety.md).
      # @param patience_s [Numeric] the fork is not kept waiting for longer
      def wait_until_asleep(patience_s: FORK_PATIENCE_S)
        deadline = monotonic_s + patience_s
        sleep(0.001) while awake? && monotonic_s < deadline
      end

      private

      def run(tick)
        until @stopped.closed?
          @wakes_at_s = AWAKE_S
          @guard.call(:tick, &tick)
          @wakes_at_s = monotonic_s + @seconds
          @stopped.pop(timeout: @seconds)
        end
      end

      def awake?
        !!@thread&.alive? && @wakes_at_s - monotonic_s < SOON_S
      end

      def monotonic_s
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
