# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # What units in flight cost each other. A unit holds the GVL longer than alone: they share the
      # processor's caches and one heap (the coherency term of the Universal Scalability Law), and after a
      # rest the CPU slept or did other work. It also waits longer: they share a database, a disk and CPUs.
      #
      #   held = held alone
      #     * (1 + growth * log2(units in flight) + marking * (units in flight - 1))
      #     * (1 + cold * rest / (rest + HALF_NS))
      #   idle = idle alone * (1 + idle_growth * log2(units in flight of the host / recorded_processes))
      #
      # - `growth`: 0.1: each doubling of the units in flight adds 10 %. A logarithm because the first
      #   neighbours cost most: a Rails application took 49, 57, 64 and 66 ms with 1, 2.5, 5 and 10 in flight
      # - `marking`: 0.02: each further unit adds 2 %, because garbage collections mark what it keeps
      # - `cold`: 0.2: a unit that starts after a long rest takes 20 % longer
      # - `idle_growth`: 0.1: each doubling of the units in flight adds 10 % to what a unit waits
      # - `recorded_processes`: of a host, when that was found from the units in flight of one of them
      CoherencyCost = Data.define(:growth, :marking, :cold, :idle_growth, :recorded_processes) do
        def initialize(growth: 0.0, marking: 0.0, cold: 0.0, idle_growth: 0.0, recorded_processes: 1)
          super
        end

        # Doublings from one to a mean number of units in flight.
        def self.doublings(in_flight)
          (in_flight > 1) ? Math.log2(in_flight) : 0.0
        end

        # Units in flight without one.
        def self.others(in_flight)
          [in_flight - 1.0, 0.0].max
        end

        # @return [Float] 0.0 (no rest, or unknown) to 1.0 (a very long one)
        def self.rested(rest_ns)
          rest_ns ? rest_ns.fdiv(rest_ns + self::HALF_NS) : 0.0
        end

        # @return [Float] against a unit that is alone in a process that was just busy
        def factor(in_flight:, rested: 0.0)
          concurrency = growth * CoherencyCost.doublings(in_flight) +
            marking * CoherencyCost.others(in_flight)
          (1 + concurrency) * (1 + cold * rested)
        end

        # @param in_flight [Float] in each of the recorded processes, or as many as if it were these
        # @return [Float] factor of idle time against a unit that is alone
        def idle_factor(in_flight)
          1 + idle_growth * CoherencyCost.doublings(in_flight)
        end

        def scaled_by(factor)
          with(growth: growth * factor, marking: marking * factor)
        end
      end

      # A rest this long costs half of what a rest can cost.
      CoherencyCost::HALF_NS = 20_000_000
      CoherencyCost::CONSTANT = CoherencyCost.new
    end
  end
end
