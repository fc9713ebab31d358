# frozen_string_literal: true

module Holdup
  module Sizing
    # What one unit asks for, on average. All models start from this.
    #
    # - `held_ns` (C): time holding the GVL; `idle_ns` (Z): time neither holding nor wanting it, without
    #   native work
    # - `cpu_ns`: of held_ns on a CPU; `native_ns` (D): CPU burnt without the GVL
    # - `acquisitions` (k): how often it takes the GVL
    # - `cost`: what company and rests add to held_ns and cpu_ns, which are those of a unit that is alone: see
    #   Cost
    # - `between`: what it takes from one unit to the next, see Between
    # - `cv2`: squared coefficient of variation of a unit's own time (held + idle), 1.0 when nobody knows
    Demand = Data.define(:held_ns, :idle_ns, :cpu_ns, :native_ns, :acquisitions, :cost, :cv2, :between) do
      def initialize(held_ns:, idle_ns:, cpu_ns: held_ns, native_ns: 0, acquisitions: 1,
        cost: HoldCost::CONSTANT, cv2: 1.0, between: DispatchCost::NOTHING)
        raise ArgumentError, "a unit holds the GVL for some time, not #{held_ns} ns" unless held_ns.positive?
        raise ArgumentError, "idle time can't be #{idle_ns} ns" if idle_ns.negative?
        super
      end

      # @param share [Float] 0.0...1.0 of a unit's own time that is idle: what articles call p, or "io %"
      # @param own_ns [Numeric] held + idle
      # @return [Demand]
      def self.of_share(share, own_ns: 100_000_000)
        unless (0...1).cover?(share)
          raise ArgumentError, "an io share lies between 0 and 1 (not 1 itself), not at #{share}"
        end
        new(held_ns: own_ns * (1 - share), idle_ns: own_ns * share)
      end

      # @return [Numeric] a unit's time when it is alone
      def own_ns = held_ns + idle_ns + native_ns

      # @return [Float] idle time against held time (a = Z / C)
      def ratio = (idle_ns + native_ns).fdiv(held_ns)

      # @return [Float] share of its own time that a unit leaves the GVL to others
      def idle_share = (idle_ns + native_ns).fdiv(own_ns)

      # @return [Demand] with its share of what lies between units: what a process can serve depends on both
      def in_all
        with(held_ns: held_ns + between.held_ns, cpu_ns: cpu_ns + between.held_ns, idle_ns: idle_ns + between.idle_ns,
          acquisitions: acquisitions + between.acquisitions, between: DispatchCost::NOTHING)
      end

      # @param units [Numeric] always in flight in a process, which never rests
      # @return [Demand] as it is then
      def in_flight(units)
        factor = cost.factor(in_flight: units)
        with(held_ns: held_ns * factor, cpu_ns: cpu_ns * factor, cost: HoldCost::CONSTANT)
      end
    end
  end
end
