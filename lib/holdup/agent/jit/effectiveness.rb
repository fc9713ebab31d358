# frozen_string_literal: true

module Holdup
  module Jit
    # Whether an enabled JIT has any effect.
    #
    # YJIT: a TracePoint for calls, lines or returns that was on once, even before YJIT and briefly, makes all
    # code leave the compiled path at every step for the life of the process and its forks; no counter of Ruby
    # 3.3 and 3.4 shows it. So a short workload runs, and the instructions that the interpreter executes in it
    # are counted: 0.6 for each turn when healthy, 16 to 28 otherwise. Ruby 4.0 does not count them, and its
    # counter of TracePoints (`invalidate_everything`) also rises with harmless ones and misses those from
    # before YJIT was on: there the workload is timed against the interpreter. Deep statistics count in
    # compiled code, which then takes longer than the interpreter: with them the effect is not known.
    #
    # ZJIT: what spoils its code, and how slow the workload is then, was not measured. So the timed workload
    # can only prove an effect; where it is not faster, the effect is not known.
    class Effectiveness
      WARM_UP = 300
      MEASURED = 50
      TRIES = 3
      # Interpreted instructions for each turn of the workload.
      WORST = 5.0
      # Share of the interpreter's time.
      SLOWEST = 0.75
      # A higher threshold would delay the compilation of the workload for too long.
      HIGHEST_THRESHOLD = 5000

      def initialize(api:, version:, pace: PaceMeasurement.new)
        @api = api
        @version = version
        @pace = pace
      end

      # Takes about 1 ms, or 0.1 ms where the workload is compiled already. Counters cover the whole process,
      # so another thread may spoil a try, but not all of them.
      # @return [Boolean, nil] nil: unknown
      def call(state)
        return if !state.enabled? || state.deep? || full?(state) || !compiles?(state) || !only_ractor?
        Workload.run([WARM_UP, state.call_threshold * 2].max)
        works = TRIES.times.any? { healthy?(state) }
        (zjit?(state) && !works) ? nil : works
      end

      # Interpreted instructions for each turn.
      def ratio
        before = interpreted
        Workload.run(MEASURED)
        (interpreted - before).fdiv(MEASURED * Workload::TURNS)
      end

      private

      def zjit?(state) = state.kind == :zjit

      def healthy?(state)
        counted?(state) ? ratio <= WORST : @pace.ratio <= SLOWEST
      end

      # A full JIT does not compile the workload either. ZJIT also fails at what it can't compile yet.
      def full?(state)
        state.limit ? state.saturated? : state.failures.to_i.positive?
      end

      def compiles?(state)
        lowest = counted?(state) ? 0 : PaceMeasurement::LOWEST_THRESHOLD
        state.call_threshold&.between?(lowest, HIGHEST_THRESHOLD)
      end

      # A Ruby may be built without the counter, whatever its version. It is YJIT's.
      def counted?(state)
        state.kind == :yjit && @version.counts_interpreted? && @api.runtime_stats.key?(:vm_insns_count)
      end

      # Other Ractors run at the same time, and their instructions would be counted too.
      def only_ractor? = Ractor.count == 1

      def interpreted
        @api.runtime_stats.fetch(:vm_insns_count)
      end
    end

    # Work that a healthy YJIT runs almost without the interpreter: two methods and a block, because each kind
    # of TracePoint that spoils compiled code affects one of these.
    module Workload
      TURNS = 20

      module_function

      def leaf(number)
        doubled = number * 2
        doubled + 1
      end

      def turns(count)
        sum = 0
        count.times { |number| sum += leaf(number) }
        sum
      end

      # The same work in one method, which stays interpreted because it is rarely called.
      def interpreted(count)
        number = sum = 0
        while number < count
          doubled = number * 2
          sum += doubled + 1
          number += 1
        end
        sum
      end

      def run(times)
        done = 0
        while done < times
          turns(TURNS)
          done += 1
        end
      end
    end

    # CPU time of the workload relative to the same work in the interpreter, for a Ruby that does not count
    # interpreted instructions. Compiled code takes a third of it on Ruby 3.4, spoiled code 1.1 to 2.3 times.
    class PaceMeasurement
      # Both kinds alternate, so that a slow machine slows both.
      TRIES = 5
      TIMES = 50
      # A lower threshold would compile the interpreter's part.
      LOWEST_THRESHOLD = 2 * TRIES

      def initialize(cpu: -> { Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond) })
        @cpu = cpu
      end

      # Disturbances make a try longer, so the shortest counts.
      def ratio
        tries = Array.new(TRIES) { [compiled_ns, (interpreted_ns unless @interpreted_ns)] }
        @interpreted_ns ||= tries.map(&:last).min.clamp(1..)
        tries.map(&:first).min.fdiv(@interpreted_ns)
      end

      private

      def compiled_ns
        timed { Workload.run(TIMES) }
      end

      # Called only a few times, so that it is never compiled.
      def interpreted_ns
        timed { Workload.interpreted(TIMES * Workload::TURNS) }
      end

      def timed
        before = @cpu.call
        yield
        @cpu.call - before
      end
    end

    # The JIT's last known effectiveness; of ZJIT, for which only an effect can be proven, the last one.
    # Measured again each minute, and at once when Ruby reports that a
    # TracePoint has thrown all code away: a late one spoils as much as an early one.
    class EffectivenessMonitor
      EVERY_NS = 60_000_000_000

      attr_reader :effective

      def initialize(effectiveness:, guard:, clock:)
        @effectiveness = effectiveness
        @guard = guard
        @clock = clock
      end

      # Whether it was measured, which compiles the workload.
      def observe(state)
        return false unless state.enabled? && due?(state)
        @seen_ns = @clock.monotonic_ns
        @thrown_away = thrown_away(state)
        effective = @guard.call(:jit) { @effectiveness.call(state) }
        @effective = effective unless effective.nil? && state.kind == :yjit
        true
      end

      def after_fork
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

    # Loaded libraries known to use the kinds of TracePoint that spoil compiled code: suspects, not proof,
    # when YJIT is on without effect.
    module TracePointSuspects
      KNOWN = {
        "Byebug" => "byebug", "DEBUGGER__" => "debug", "Tracer" => "tracer", "RubyProf" => "ruby-prof",
        "PowerAssert" => "power_assert", "Rotoscope" => "rotoscope"
      }.freeze

      def self.loaded
        KNOWN.select { |constant, _| Object.const_defined?(constant) && !Object.autoload?(constant) }.values
      end
    end
  end
end
