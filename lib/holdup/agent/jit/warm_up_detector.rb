# frozen_string_literal: true

module Holdup
  module Jit
    # When a process has become warm: hardly anything is compiled any more, and the interpreter's part of the
    # work has stopped to fall. Judged over stretches of work, not of time, so that an idle process is not
    # taken for a warm one.
    class WarmUpDetector
      # CPU time of the process that makes a stretch.
      STRETCH_NS = 1_000_000_000
      # Growth of what is compiled, and fall of the interpreter's part, within a stretch.
      GROWTH = 0.01
      FALL = 0.1
      STRETCHES = 3

      # @return [Integer, nil] nanoseconds since 1970
      attr_reader :since_ns

      # @param clock [#realtime_ns]
      # @param cpu [#call] CPU time of the process in nanoseconds
      # @param stretch_ns [Integer]
      def initialize(clock:,
        cpu: -> {
          Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID,
            :nanosecond)
        }, stretch_ns: STRETCH_NS)
        @stretch_ns = stretch_ns
        @clock = clock
        @cpu = cpu
        @quiet = 0
      end

      # @param state [Snapshot] as it is now
      # @return [void]
      def see(state)
        return if @since_ns || !state.enabled? || !state.compiled_iseqs
        now_ns = @cpu.call
        begin_stretch(state, now_ns) unless @before
        judge(state, now_ns) if now_ns - @began_ns >= @stretch_ns
      end

      private

      def begin_stretch(state, now_ns)
        @before = state
        @began_ns = now_ns
      end

      def judge(state, now_ns)
        rate = interpreted(state)&.fdiv(now_ns - @began_ns)
        @quiet = (grown?(state) || fallen?(rate)) ? 0 : @quiet + 1
        @rate = rate
        begin_stretch(state, now_ns)
        @since_ns = @clock.realtime_ns if @quiet == STRETCHES
      end

      def grown?(state)
        state.compiled_iseqs - @before.compiled_iseqs > state.compiled_iseqs * GROWTH
      end

      def fallen?(rate)
        @rate && rate && rate < @rate * (1 - FALL)
      end

      def interpreted(state)
        state.interpreted_instructions && @before.interpreted_instructions && state.interpreted_instructions - @before.interpreted_instructions
      end
    end
  end
end
