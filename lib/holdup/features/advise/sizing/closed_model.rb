# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # One process whose threads always have work (a backlogged job worker, a saturated server): the GVL is
      # one server, everything else a pure delay. This is the machine repairman model; Erlang's B solves it
      # exactly.
      #
      #   B(0) = 1;  B(n) = a B(n-1) / (n + a B(n-1)),  a = Z / C'
      #   GVL taken T(N) = 1 - B(N);  throughput X = T / C';  utilisation U = X C
      #   response R = N / X;  stall S = R - C - Z
      #
      # While others wait, each release of the GVL costs a hand-off, in which no thread has it. A thread that
      # releases it finds what one thread less would find (arrival theorem), so with k holds in a unit
      #
      #   C' = C + k * handoff * T(n-1)
      #
      # Source: Lazowska et al., Quantitative System Performance, chapters 5 and 6 (bounds, MVA); exact for
      # exponential holds without hand-offs, 1 to 4.5 % off for real ones (test/fixtures/closed_runs.csv).
      # Equal holds that interleave perfectly do better near the knee.
      class ClosedModel
        MOST_THREADS = 1000

        # `taken`: share of the time that the GVL is held or passed on; `held_ns`: of a unit with its
        # hand-offs; `waiting`: threads that wait when one gives it up, if any does
        Taken = Data.define(:taken, :held_ns, :waiting) do
          def throughput = taken * NS / held_ns
        end
        private_constant :Taken

        # @param processes [Integer] of the host, all as busy
        def initialize(demand, processes: 1)
          @demand = demand
          @processes = processes
          @at = {}
          @solved = {}
        end

        # @return [Float] share of the time that the GVL is held; rounding would make a little more than all
        def utilisation(threads)
          [throughput(threads) * at(threads).held_ns / NS, 1.0].min
        end

        # @return [Float] units per second
        def throughput(threads)
          solve(threads).throughput
        end

        # @return [Float] threads that wait for the GVL when one gives it up, if any does
        def waiting(threads) = solve(threads).waiting

        # @return [Float] ns from taking a unit to its end
        def response_ns(threads)
          threads * NS / throughput(threads)
        end

        # @return [Float] ns that the unit stalls: a thread that is alone never waits for another one
        def stall_ns(threads)
          return 0.0 if threads == 1
          [response_ns(threads) - at(threads).own_ns, 0.0].max
        end

        # @return [Float] against one thread
        def speed_up(threads)
          throughput(threads) / throughput(1)
        end

        # @return [Float] units per second when each idle phase ends behind all other threads: Amdahl's law
        def lower_bound(threads)
          threads * NS / (threads * at(threads).held_ns + at(threads).idle_ns + at(threads).native_ns)
        end

        # @return [Float] units per second when no unit ever waits, or the GVL is never free
        def upper_bound(threads)
          [NS / at(threads).held_ns, threads * NS / at(threads).own_ns].min
        end

        # Square-root staffing: about where more threads only add stall (U = 0.88 to 0.99).
        def saturation
          (1 + @demand.ratio + Math.sqrt(@demand.ratio)).round
        end

        # @return [Integer] the fewest threads that reach the target utilisation; if none does (the cost grows
        #   faster), those with the most throughput
        def threads_for(target)
          limit = [4 * saturation, MOST_THREADS].min
          enough = (1..limit).find { |threads| utilisation(threads) >= target }
          enough || (1..limit).max_by { |threads| throughput(threads) }
        end

        private

        # The demand with so many units in flight.
        def at(threads)
          @at[threads] ||= @demand.in_flight(threads, processes: @processes)
        end

        def solve(threads)
          @solved[threads] ||= taken(threads)
        end

        def taken(threads)
          demand = at(threads)
          delay_ns = demand.own_ns - demand.held_ns
          blocked = 1.0
          present = waiting = 0.0
          held_ns = demand.held_ns
          (1..threads).each do |n|
            waiting = present / [1 - blocked, Float::EPSILON].max
            held_ns = demand.held_ns + (1 - blocked) * demand.handoffs_ns(waiting)
            load = delay_ns.fdiv(held_ns)
            blocked = load * blocked / (n + load * blocked)
            present = n - (1 - blocked) * load
          end
          Taken.new(taken: 1 - blocked, held_ns:, waiting:)
        end
      end
    end
  end
end
