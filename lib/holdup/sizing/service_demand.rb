# frozen_string_literal: true

module Holdup
  module Sizing
    # What one unit asks for, on average. All models start from this.
    #
    # - `held_ns` (C): time holding the GVL; `idle_ns` (Z): time neither holding nor wanting it, without
    #   native work
    # - `cpu_ns`: of held_ns on a CPU; `native_ns` (D): CPU burnt without the GVL
    # - `acquisitions` (k): how often it takes the GVL
    # - `cost`: what concurrency and rests add to held_ns and cpu_ns, which are those of a unit that is alone:
    #   see Cost
    # - `between`: what it takes from one unit to the next, see Between
    # - `cv2`: squared coefficient of variation of a unit's own time (held + idle), 1.0 when nobody knows
    ServiceDemand = Data.define(
      :held_ns, :idle_ns, :cpu_ns, :native_ns, :acquisitions, :cost, :cv2, :between
    ) do
      def initialize(held_ns:, idle_ns:, cpu_ns: held_ns, native_ns: 0, acquisitions: 1,
        cost: CoherencyCost::CONSTANT, cv2: 1.0, between: DispatchCost::NOTHING)
        raise ArgumentError, "a unit holds the GVL for some time, not #{held_ns} ns" unless held_ns.positive?
        raise ArgumentError, "idle time can't be #{idle_ns} ns" if idle_ns.negative?
        super
      end

      # @param share [Float] 0.0...1.0 of a unit's own time that is idle: what articles call p, or "io %"
      # @param own_ns [Numeric] held + idle
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

      # @return [ServiceDemand] with its share of what lies between units: what a process can serve depends on
      #   both
      def in_all
        with(held_ns: held_ns + between.held_ns, cpu_ns: cpu_ns + between.held_ns,
          idle_ns: idle_ns + between.idle_ns, acquisitions: acquisitions + between.acquisitions,
          between: DispatchCost::NOTHING)
      end

      # @param units [Numeric] always in flight in a process, which never rests
      # @return [ServiceDemand] as it is then
      def in_flight(units)
        factor = cost.factor(in_flight: units)
        with(held_ns: held_ns * factor, cpu_ns: cpu_ns * factor, cost: CoherencyCost::CONSTANT)
      end
    end

    # What one unit asks for, going by some of the recorded units, or by units that were changed: formulas'
    # figures move as the means of the units do. For an interval the growth is drawn as well, for it is not
    # known better than the recording tells.
    class ServiceDemand::DemandEstimates
      # An interval's end lies so many standard deviations from its middle (90 %).
      NORMAL = 1.645
      # Nobody has seen more: 16 % were measured in a large application.
      MOST = 0.3

      # @param traffic [Traffic] all of the recording
      def initialize(recording, traffic)
        @demand = recording.demand
        @growth = recording.growth_estimate
        @means = means(traffic)
      end

      # @param seed [Integer, nil] of a draw of the growth; nil: the best guess
      def call(part, seed: nil)
        held, idle, acquisitions = means(part).zip(@means).map { |there, all| there / [all, 1].max }
        cost = seed ? drawn(Random.new(seed)) : @demand.cost
        @demand.with(held_ns: @demand.held_ns * held, cpu_ns: @demand.cpu_ns * held,
          idle_ns: @demand.idle_ns * idle, acquisitions: @demand.acquisitions * acquisitions, cost:)
      end

      private

      def means(traffic)
        %i[running_ns idle_ns acquisitions].map { |field| traffic.mean_of(field) }
      end

      # An unknown growth is not drawn: it could be any.
      def drawn(random)
        return @demand.cost unless @growth&.value
        growth = drawn_growth(random)
        @growth.grows? ? @demand.cost.scaled_by(growth / @growth.value) : @demand.cost.with(growth:)
      end

      def drawn_growth(random)
        deviation = normal(random) / NORMAL
        width = deviation.positive? ? @growth.high - @growth.value : @growth.value - @growth.low
        (@growth.value + deviation * width).clamp(0.0, most)
      end

      # A recording that says more is believed.
      def most
        (@growth.value > MOST) ? @growth.high : MOST
      end

      def normal(random)
        Math.sqrt(-2 * Math.log(1 - random.rand)) * Math.cos(2 * Math::PI * random.rand)
      end
    end
  end
end
