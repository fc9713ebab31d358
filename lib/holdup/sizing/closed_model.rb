# frozen_string_literal: true

module Holdup
  module Sizing
    # One process whose threads always have work (a backlogged job worker, a saturated server): the GVL is one
    # server, everything else a pure delay. This is the machine repairman model; Erlang's B solves it exactly.
    #
    #   B(0) = 1;  B(n) = a B(n-1) / (n + a B(n-1)),  a = Z / C
    #   utilisation U(N) = 1 - B(N);  throughput X = U / C;  response R = N / X;  stall S = R - C - Z
    #
    # Source: Lazowska et al., Quantitative System Performance, chapters 5 and 6 (bounds, MVA); exact for
    # exponential holds, 1 to 4.5 % off for real ones (test/fixtures/closed_runs.csv). Equal holds that
    # interleave perfectly do better near the knee.
    class ClosedModel
      NS = 1_000_000_000
      MOST_THREADS = 1000

      def initialize(demand)
        @demand = demand
      end

      # @return [Float] share of the time that the GVL is held
      def utilisation(threads)
        1 - erlang_b(threads, at(threads).ratio)
      end

      # @return [Float] units per second
      def throughput(threads)
        utilisation(threads) * NS / at(threads).held_ns
      end

      # @return [Float] ns from taking a unit to its end
      def response_ns(threads)
        threads * NS / throughput(threads)
      end

      # @return [Float] ns that the unit stalls
      def stall_ns(threads)
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

      def at(threads) = @demand.in_flight(threads)

      def erlang_b(threads, load)
        (1..threads).inject(1.0) { |blocked, n| load * blocked / (n + load * blocked) }
      end
    end
  end
end
