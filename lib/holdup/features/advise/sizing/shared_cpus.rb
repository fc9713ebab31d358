# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Several processes with busy threads on few vCPUs: a GVL holder needs a CPU, and the holders share them
      # with processes that are not measured. Holds get longer by an inflation I, which depends on how many
      # hold at once, which depends on I: a fixed point.
      #
      #   U = 1 - B(N, Z / (C I));  v = vCPUs that others leave at X units per second
      #   I = sum over j others that hold: Binomial(P-1, U)(j) * max(1, (j + 1) / v)
      #   X = min(P U / (C I), (vCPUs - constant of the others) / (Ccpu + D + theirs for a unit))
      #
      # Source: the machine repairman of ClosedModel, with processor sharing among the holders; a mean-field
      # approximation, which treats holders of different processes as independent. Within 1.1 to 1.4 % of 24
      # measured configurations (test/fixtures/closed_runs.csv, set "multi"); scaling by P alone is up to 100
      # % off.
      class SharedCpus
        ROUNDS = 60

        # @param limits [ResourceLimits]
        def initialize(demand, processes:, threads:, limits:)
          @demand = demand.in_flight(threads, processes:)
          @processes = processes
          @threads = threads
          @limits = limits
        end

        # @return [Float] factor by which holds get longer, 1.0 with CPUs enough
        def inflation
          @inflation ||= begin
            inflation = 1.0
            ROUNDS.times do
              last = inflation
              inflation = (last + inflation_after(last)) / 2
              break if inflation == last # then all further rounds find the same
            end
            inflation
          end
        end

        # @param busy [Float] share of the time that each GVL is held
        # @param free_vcpus [Float] that others leave
        def inflation_at(busy, free_vcpus)
          (0...@processes).sum do |others|
            binomial(@processes - 1, others, busy) * [1.0, (others + 1) / free_vcpus].max
          end
        end

        # @return [Float] units per second of all processes
        def throughput
          @throughput ||= [served(utilisation(inflation), inflation), most].min
        end

        def response_ns
          @threads * @processes * NS / throughput
        end

        # @return [Float] ns of stall, waits for a CPU included
        def stall_ns
          [response_ns - @demand.own_ns, 0.0].max
        end

        def cpus
          throughput * (@demand.cpu_ns + @demand.native_ns) / NS
        end

        private

        def inflation_after(inflation)
          busy = utilisation(inflation)
          inflation_at(busy, @limits.free_vcpus([served(busy, inflation), most].min))
        end

        def utilisation(inflation)
          ClosedModel.new(@demand.with(held_ns: @demand.held_ns * inflation)).utilisation(@threads)
        end

        def served(busy, inflation)
          @processes * busy * NS / (@demand.held_ns * inflation)
        end

        # What the CPUs allow: native work without the GVL needs them too, and what others do for a unit.
        def most
          @most ||= begin
            vcpus = @limits.with(hindering: 1.0).free_vcpus(0.0)
            vcpus * NS.fdiv(@demand.cpu_ns + @demand.native_ns + @limits.others.unit_ns)
          end
        end

        def binomial(trials, hits, chance)
          ways(trials, hits) * chance**hits * (1 - chance)**(trials - hits)
        end

        def ways(trials, hits)
          @ways ||= {}
          @ways[[trials, hits]] ||= (1..hits).inject(1.0) { |product, i| product * (trials - hits + i) / i }
        end
      end
    end
  end
end
