# frozen_string_literal: true

require_relative "workload"
require_relative "pace_measurement"

module Holdup
  module Jit
    # Whether YJIT does anything although it says it is enabled. A TracePoint for calls, lines or returns that
    # was on once, even before YJIT was and for a moment only, makes all code leave the compiled path at every
    # step, for as long as the process and its forks live; no counter of Ruby 3.3 and 3.4 shows it. Counting
    # the instructions that the interpreter runs in a short exercise does: 0.6 for each turn when all is well,
    # 16 to 28 otherwise. Ruby 4.0 does not count them; what it counts of TracePoints
    # (`invalidate_everything`) rises with harmless ones too and not with those from before it was on. There
    # the exercise is timed against the interpreter.
    class Effectiveness
      WARM_UP = 300
      MEASURED = 50
      TRIES = 3
      # Interpreted instructions for each turn of the exercise.
      WORST = 5.0
      # Of the interpreter's time.
      SLOWEST = 0.75
      # With a threshold beyond this the exercise would take too long to be compiled.
      HIGHEST_THRESHOLD = 5000

      # @param api [#runtime_stats] RubyVM::YJIT
      # @param version [RubyDefaults]
      # @param pace [#ratio]
      def initialize(api:, version:, pace: PaceMeasurement.new)
        @api = api
        @version = version
        @pace = pace
      end

      # Takes about a millisecond, and a tenth of it where the exercise is compiled already. Counts are the
      # whole process's, so another thread may spoil a try, but not all of them.
      # @param state [Snapshot]
      # @return [Boolean, nil] nil when it can't be told
      def call(state)
        return if state.kind != :yjit || full?(state) || !compiles?(state) || !alone?
        Workload.run([WARM_UP, state.call_threshold * 2].max)
        TRIES.times.any? { healthy? }
      end

      # @return [Float] interpreted instructions for each turn
      def ratio
        before = interpreted
        Workload.run(MEASURED)
        (interpreted - before).fdiv(MEASURED * Workload::TURNS)
      end

      private

      def healthy?
        @version.counts_interpreted? ? ratio <= WORST : @pace.ratio <= SLOWEST
      end

      # Where nothing more is compiled, the exercise is not either.
      def full?(state)
        state.limit ? state.saturated? : state.failures.to_i.positive?
      end

      def compiles?(state)
        lowest = @version.counts_interpreted? ? 0 : PaceMeasurement::LOWEST_THRESHOLD
        state.call_threshold&.between?(lowest, HIGHEST_THRESHOLD)
      end

      # Threads take turns, other Ractors don't: what they run would be counted too.
      def alone? = Ractor.count == 1

      def interpreted
        @api.runtime_stats.fetch(:vm_insns_count)
      end
    end
  end
end
