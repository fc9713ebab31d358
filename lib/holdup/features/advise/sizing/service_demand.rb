# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Mean demand of one unit, the input of all models.
      #
      # - `held_ns` (C): time holding the GVL; `idle_ns` (Z): neither holding nor wanting it, without native
      #   work
      # - `asleep`: share of idle_ns in which it slept for a given time, which no other unit lengthens
      # - `cpu_ns`: part of held_ns on a CPU; `native_ns` (D): CPU time without the GVL
      # - `acquisitions` (k): of the GVL
      # - `cost`: what concurrency and rests add to held_ns, cpu_ns and idle_ns, which are those of a unit
      #   that is alone: see CoherencyCost
      # - `handoff_ns`: what each of them adds while other threads wait: see Handoff
      # - `between`: work from one unit to the next, see Scenario::DispatchCost
      # - `cv2`: squared coefficient of variation of a unit's own time (held + idle), 1.0 if unknown
      ServiceDemand = Data.define(
        :held_ns, :idle_ns, :cpu_ns, :native_ns, :acquisitions, :cost, :cv2, :between, :handoff_ns, :asleep
      ) do
        def initialize(held_ns:, idle_ns:, cpu_ns: held_ns, native_ns: 0, acquisitions: 1,
          cost: CoherencyCost::CONSTANT, cv2: 1.0, between: Scenario::DispatchCost::NOTHING, handoff_ns: 0,
          asleep: 0.0)
          unless held_ns.positive?
            raise ArgumentError,
              "a unit holds the GVL for some time, not #{held_ns} ns"
          end
          raise ArgumentError, "idle time can't be #{idle_ns} ns" if idle_ns.negative?
          super
        end

        # @param share [Float] 0.0...1.0 of a unit's own time that is idle: p, or "io %", in articles
        # @param own_ns [Numeric] held + idle
        def self.of_share(share, own_ns: 100_000_000)
          unless (0...1).cover?(share)
            raise ArgumentError, "an io share lies between 0 and 1 (not 1 itself), not at #{share}"
          end
          new(held_ns: own_ns * (1 - share), idle_ns: own_ns * share)
        end

        # Time of a unit that is alone.
        def own_ns = held_ns + idle_ns + native_ns

        # @return [Float] idle time against held time (a = Z / C)
        def ratio
          (idle_ns + native_ns).fdiv(held_ns)
        end

        # @return [Float] share of its own time that a unit leaves the GVL to others
        def idle_share
          (idle_ns + native_ns).fdiv(own_ns)
        end

        # @param waiting [Float] threads that wait when it gives the GVL up
        # @return [Float] ns of all its hand-offs
        def handoffs_ns(waiting)
          (acquisitions + 1) * Handoff.with_waiting(handoff_ns, waiting)
        end

        # The demand includes its share of the work between units: both limit what a process can serve.
        def in_all
          with(held_ns: held_ns + between.held_ns, cpu_ns: cpu_ns + between.held_ns,
            idle_ns: idle_ns + between.idle_ns, acquisitions: acquisitions + between.acquisitions,
            between: Scenario::DispatchCost::NOTHING)
        end

        # The demand with so many units always in flight in a process, which never rests.
        # @param processes [Integer] of the host, all alike
        def in_flight(units, processes: 1)
          factor = cost.factor(in_flight: units)
          idle_factor = cost.idle_factor(units * processes / cost.recorded_processes.to_f)
          with(held_ns: held_ns * factor, cpu_ns: cpu_ns * factor, idle_ns: idle_ns * idle_factor,
            cost: CoherencyCost::CONSTANT)
        end
      end

      # Demand estimated from some of the recorded units, or from changed units: the formulas' figures scale
      # with the units' means. For an interval the growths are drawn as well.
      class ServiceDemand::DemandEstimates
        # Upper bound: a large application showed 16 %.
        MOST = 0.3

        def initialize(recording, traffic)
          @demand = recording.demand
          @growth = recording.growth_estimate
          @idle_growth = recording.idle_growth
          @means = means(traffic)
        end

        # @param seed [Integer, nil] of a draw of the growths; nil: the best guess
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
          cost = @growth&.value ? drawn_cost(random) : @demand.cost
          @idle_growth&.value ? cost.with(idle_growth: drawn_growth(@idle_growth, random)) : cost
        end

        def drawn_cost(random)
          growth = drawn_growth(@growth, random)
          @growth.grows? ? @demand.cost.scaled_by(growth / @growth.value) : @demand.cost.with(growth:)
        end

        def drawn_growth(estimate, random)
          deviation = normal(random) / WeightedSample::NORMAL
          width = deviation.positive? ? estimate.high - estimate.value : estimate.value - estimate.low
          (estimate.value + deviation * width).clamp(0.0, most(estimate))
        end

        # A recording with a larger value overrides the bound.
        def most(estimate)
          (estimate.value > MOST) ? estimate.high : MOST
        end

        def normal(random)
          Math.sqrt(-2 * Math.log(1 - random.rand)) * Math.cos(2 * Math::PI * random.rand)
        end
      end
    end
  end
end
