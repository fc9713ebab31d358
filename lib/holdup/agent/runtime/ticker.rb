# frozen_string_literal: true

module Holdup
  class Runtime
    # A thread that calls a block every so often until it is stopped, at once.
    class Ticker
      NAME = "holdup"
      PATIENCE_S = 1

      # @param seconds [Numeric] between two calls
      # @param guard [Guard] keeps the thread alive when a call fails
      def initialize(seconds:, guard:)
        @seconds = seconds
        @guard = guard
        @stopped = Queue.new
      end

      # @return [self]
      def start(&tick)
        @thread = Thread.new { run(tick) }
        @thread.name = NAME
        @thread.report_on_exception = false
        @thread.thread_variable_set(:fork_safe, true) # Puma warns of the others when it forks a loaded application
        self
      end

      # @return [void]
      def stop
        @stopped.close
        @thread&.join(PATIENCE_S) unless @thread.equal?(Thread.current)
      end

      # The thread ends by itself, after its present call; nobody waits for it. Safe in a signal handler.
      # @return [void]
      def let_go = @stopped.close

      def alive?
        !!@thread&.alive? && !@stopped.closed?
      end

      private

      def run(tick)
        until @stopped.closed?
          @guard.call(:tick, &tick)
          @stopped.pop(timeout: @seconds)
        end
      end
    end
  end
end
