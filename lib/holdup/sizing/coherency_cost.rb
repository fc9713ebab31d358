# frozen_string_literal: true

module Holdup
  module Sizing
    # The factor by which a unit holds the GVL longer than alone: other units in flight share the processor's
    # caches and one heap (the coherency term of the Universal Scalability Law), and after a rest the CPU
    # slept or did other work.
    #
    #   held = held alone
    #     * (1 + growth * log2(units in flight) + marking * (units in flight - 1))
    #     * (1 + cold * rest / (rest + HALF_NS))
    #
    # - `growth`: 0.1: each doubling of the units in flight adds 10 %. A logarithm because the first
    #   neighbours cost most: a Rails application took 49, 57, 64 and 66 ms with 1, 2.5, 5 and 10 in flight
    # - `marking`: 0.02: each further unit adds 2 %, because garbage collections mark what it keeps
    # - `cold`: 0.2: a unit that starts after a long rest takes 20 % longer
    CoherencyCost = Data.define(:growth, :marking, :cold) do
      def initialize(growth: 0.0, marking: 0.0, cold: 0.0)
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
        concurrency = growth * CoherencyCost.doublings(in_flight) + marking * CoherencyCost.others(in_flight)
        (1 + concurrency) * (1 + cold * rested)
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
