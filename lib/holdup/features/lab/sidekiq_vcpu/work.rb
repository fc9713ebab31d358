# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # A fixed amount of work: Ruby that computes, holds the GVL and allocates nothing, so that no job pays
      # for another's garbage. Twice the work takes twice the CPU time, so ratios are exact.
      module Work
        # One round is about a tenth of a millisecond.
        STEPS = 2_000
        ENOUGH_S = 0.25
        CPU_CLOCK = -> { Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) }
        private_constant :CPU_CLOCK

        module_function

        # @return [Integer] a meaningless result
        def run(rounds)
          value = 1
          rounds.times { value = round(value) }
          value
        end

        # @param seconds [Numeric] of CPU time
        # @param clock [#call] gives seconds of CPU time
        # @return [Integer] rounds that take about that long on this machine, in this Ruby
        def rounds_for(seconds, clock: CPU_CLOCK)
          rounds = 100
          rounds *= 2 while (taken = time(rounds, clock)) < [ENOUGH_S, seconds].min
          [(rounds * seconds / taken).round, 1].max
        end

        # A separate method, so that a JIT compiles it after some calls.
        def round(value)
          step = 0
          while step < STEPS
            value = (value * 1_103_515_245 + 12_345) & 0x7fff_ffff
            step += 1
          end
          value
        end

        def time(rounds, clock)
          started = clock.call
          run(rounds)
          clock.call - started
        end
        private_class_method :time
      end
    end
  end
end
