# frozen_string_literal: true

require_relative "exercise"

module Holdup
  module Jit
    # Whether YJIT does anything although it says it is enabled. A TracePoint for calls, lines or returns that was on
    # once, even before YJIT was and for a moment only, makes all code leave the compiled path at every step, for as long
    # as the process and its forks live; no counter of Ruby 3.3 and 3.4 shows it. Counting the instructions that the
    # interpreter runs in a short exercise does: 0.6 for each turn when all is well, 16 to 28 otherwise.
    class Effectiveness
      WARM_UP, MEASURED, TRIES = 300, 50, 3
      # Interpreted instructions for each turn of the exercise.
      WORST = 5.0
      # With a threshold beyond this the exercise would take too long to be compiled.
      HIGHEST_THRESHOLD = 5000

      # @param api [#runtime_stats] RubyVM::YJIT
      # @param version [Version]
      def initialize(api:, version:)
        @api = api
        @version = version
      end

      # Takes about a millisecond. Counts are the whole process's, so another thread may spoil a try, but not all of them.
      # @param state [State]
      # @return [Boolean, nil] nil when it can't be told
      def call(state)
        return untold if state.kind != :yjit || state.saturated? || state.call_threshold > HIGHEST_THRESHOLD
        return untold unless @version.counts_interpreted? && alone?
        Exercise.run([WARM_UP, state.call_threshold * 2].max)
        TRIES.times.any? { ratio <= WORST }
      end

      # @return [Float] interpreted instructions for each turn
      def ratio
        before = interpreted
        Exercise.run(MEASURED)
        (interpreted - before).fdiv(MEASURED * Exercise::TURNS)
      end

      private

      # Threads take turns, other Ractors don't: what they run would be counted too.
      def alone? = Ractor.count == 1

      # Ruby 4.0 counts what it threw away for a TracePoint; that it counted none proves nothing.
      def untold = ((@version.takes_options? && thrown_away.positive?) ? false : nil)

      def thrown_away = @api.runtime_stats&.fetch(:invalidate_everything, nil).to_i

      def interpreted = @api.runtime_stats.fetch(:vm_insns_count)
    end
  end
end
