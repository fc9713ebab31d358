# frozen_string_literal: true

module Holdup
  module Sizing
    # Several processes with busy threads on few vCPUs: a GVL holder needs a CPU, and the holders share them.
    # Holds get longer by an inflation I, which depends on how many hold at once, which depends on I: a fixed
    # point.
    #
    #   U = 1 - B(N, Z / (C I));  I = sum over j others that hold: Binomial(P-1, U)(j) * max(1, (j + 1) / v)
    #   X = min(P U / (C I), v / (Ccpu + D))
    #
    # Source: the machine repairman of ClosedModel, with processor sharing among the holders; a mean-field
    # approximation, which treats holders of different processes as independent. Within 1.1 to 1.4 % of 24
    # measured configurations (test/fixtures/closed_runs.csv, set "multi"); scaling by P alone is up to 100 %
    # off.
    class SharedCpus
      ROUNDS = 60
      NS = ClosedModel::NS

      # @param vcpus [Numeric] that the container may use; a quota may be a fraction
      def initialize(demand, processes:, threads:, vcpus:)
        @demand = demand.in_flight(threads, processes:)
        @processes = processes
        @threads = threads
        @vcpus = vcpus
      end

      # @return [Float] factor by which holds get longer, 1.0 with CPUs enough
      def inflation
        @inflation ||= ROUNDS.times.inject(1.0) do |inflation, _|
          (inflation + expected(utilisation(inflation))) / 2
        end
      end

      # @param busy [Float] share of the time that each GVL is held, below saturation
      def inflation_at(busy) = expected(busy)

      # @return [Float] units per second of all processes; native work without the GVL needs CPUs too
      def throughput
        [@processes * utilisation(inflation) * NS / (@demand.held_ns * inflation),
          @vcpus * NS.fdiv(@demand.cpu_ns + @demand.native_ns)].min
      end

      def response_ns
        @threads * @processes * NS / throughput
      end

      # @return [Float] ns of stall, waits for a CPU included
      def stall_ns = [response_ns - @demand.own_ns, 0.0].max

      def cpus
        throughput * (@demand.cpu_ns + @demand.native_ns) / NS
      end

      private

      def utilisation(inflation)
        ClosedModel.new(@demand.with(held_ns: @demand.held_ns * inflation)).utilisation(@threads)
      end

      def expected(busy)
        (0...@processes).sum do |others|
          binomial(@processes - 1, others, busy) * [1.0, (others + 1) / @vcpus.to_f].max
        end
      end

      def binomial(trials, hits, chance)
        ways = (1..hits).inject(1.0) { |product, i| product * (trials - hits + i) / i }
        ways * chance**hits * (1 - chance)**(trials - hits)
      end
    end
  end
end
