# frozen_string_literal: true

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

    # A little work that a healthy YJIT runs almost without the interpreter: two methods and a block, so that
    # every kind of TracePoint that spoils compiled code shows in it.
    module Workload
      TURNS = 20

      module_function

      # @return [Integer]
      def leaf(number)
        doubled = number * 2
        doubled + 1
      end

      # @return [Integer]
      def turns(count)
        sum = 0
        count.times { |number| sum += leaf(number) }
        sum
      end

      # The same work in one method, which stays interpreted as long as nobody calls it often.
      # @return [Integer]
      def interpreted(count)
        number = sum = 0
        while number < count
          doubled = number * 2
          sum += doubled + 1
          number += 1
        end
        sum
      end

      # @param times [Integer]
      # @return [void]
      def run(times)
        done = 0
        while done < times
          turns(TURNS)
          done += 1
        end
      end
    end

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

    # Whether the JIT of this process does anything, as last told. Looked at again each minute, and at once
    # when Ruby says that a TracePoint has thrown all code away: one that comes late spoils as much as an
    # early one.
    class EffectivenessMonitor
      EVERY_NS = 60_000_000_000

      # @return [Boolean, nil]
      attr_reader :effective

      # @param effectiveness [#call] takes a State, gives true, false, or nil when it can't tell
      # @param guard [Guard]
      # @param clock [#monotonic_ns]
      def initialize(effectiveness:, guard:, clock:)
        @effectiveness = effectiveness
        @guard = guard
        @clock = clock
      end

      # @param state [Snapshot] as it is now
      # @return [Boolean] whether it was judged, which compiles the exercise
      def see(state)
        return false unless state.enabled? && due?(state)
        @seen_ns = @clock.monotonic_ns
        @thrown_away = thrown_away(state)
        told = @guard.call(:jit) { @effectiveness.call(state) }
        @effective = told unless told.nil?
        true
      end

      # In a process that was just forked.
      # @return [void]
      def born
        @seen_ns = @effective = nil
      end

      private

      def due?(state)
        @seen_ns.nil? || thrown_away(state) > @thrown_away || @clock.monotonic_ns - @seen_ns >= EVERY_NS
      end

      def thrown_away(state)
        state.invalidations.to_h.fetch(:everything, 0)
      end
    end

    # Loaded libraries that are known to use the kinds of TracePoint that spoil compiled code: the first
    # places to look when YJIT is on and does nothing. That one is loaded is no proof.
    module TracePointSuspects
      KNOWN = {
        "Byebug" => "byebug", "DEBUGGER__" => "debug", "Tracer" => "tracer", "RubyProf" => "ruby-prof",
        "PowerAssert" => "power_assert", "Rotoscope" => "rotoscope"
      }.freeze

      # @return [Array<String>] names of gems
      def self.loaded
        KNOWN.select { |constant, _| Object.const_defined?(constant) && !Object.autoload?(constant) }.values
      end
    end
  end
end
