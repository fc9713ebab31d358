# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # One possible set of what a recording does not show for certain, with which all of it is replayed.
      #
      # - `free_vcpus`: CPUs of a host that are there when a process wants one; `speed`: factor by which
      #   requests hold the GVL longer than recorded, because the machine computes at other speeds
      # - `handoff_ns`: see Handoff; `growth`, `idle_growth`: see CoherencyCost
      # - `counted`: whether requests come in the bursts that were counted, or independently of each other;
      #   `users`: ClosedLoad::ThinkingUsers who send them, or nil; `think_ns`: for which they pause
      # - `assignment`: see Forecast
      Explanation = Data.define(:free_vcpus, :speed, :handoff_ns, :growth, :idle_growth, :counted, :users,
        :think_ns, :assignment) do
        # @param demand [ServiceDemand]
        # @return [CoherencyCost]
        def cost(demand)
          known = demand.cost
          sum = known.growth + known.marking
          scaled = sum.positive? ? known.scaled_by(growth / sum) : known.with(growth:)
          scaled.with(idle_growth:)
        end
      end

      # Draws explanations from what the figures of a recording allow. A figure that the self-test fitted may
      # be wrong where that failed, so a part of the draws has any value.
      class Explanation::ExplanationDraws
        # Standard deviations of logarithms.
        HANDOFF = 0.7
        SPEED = 0.03
        # Share of the draws with a hand-off of any length, and of those where it depends on the number of
        # waiting threads.
        ANY = 0.3
        BY_WAITING = 0.4
        # Waiting threads from which more do not change it.
        WAITING = 4
        # Growths of an application are at most about as large, see ServiceDemand::DemandEstimates.
        MOST_GROWTH = ServiceDemand::DemandEstimates::MOST

        # @param recording [Recording]
        # @param vcpus [Range<Float>] see SelfTest
        # @param handoffs [Array<Numeric, Array<Numeric>>] that the self-test fitted
        # @param assignments [Array<Symbol>]
        # @param users [Array<ClosedLoad::ThinkingUsers, nil>] who may have sent the requests
        # @param counted [Boolean] whether arrivals were counted
        def initialize(recording, vcpus:, handoffs:, assignments:, users:, counted:, seed:)
          @recording = recording
          @vcpus = vcpus
          @handoffs = handoffs
          @assignments = assignments
          @users = users
          @counted = counted
          @random = Random.new(seed)
          @speed = [SPEED, speed_deviation].max
        end

        # @return [Explanation]
        def draw
          users = one_of(@users)
          Explanation.new(free_vcpus: between(@vcpus.min, @vcpus.max), speed: Math.exp(@speed * normal),
            handoff_ns:, growth: growth(@recording.growth_estimate),
            idle_growth: growth(@recording.idle_growth), counted: @counted && users.nil? && any?(0.5), users:,
            think_ns: users ? one_of(users.thinks_ns) : 0, assignment: one_of(@assignments))
        end

        private

        # The slow minutes of a machine and the fast ones are the ends of a 90 % interval.
        def speed_deviation
          Math.log(@recording.machine_speed.variation || 1.0) / (2 * WeightedSample::NORMAL)
        end

        # @return [Numeric, Array<Float>] see Handoff
        def handoff_ns
          known = one_of(@handoffs)
          return known.map { |ns| limited(ns * handoff_factor) } if known.is_a?(Array)
          any?(BY_WAITING) ? by_waiting(length(known), length(known)) : length(known)
        end

        # @param first [Float] ns of a hand-off with one waiting thread; `last`: with WAITING of them
        def by_waiting(first, last)
          Array.new(WAITING) { |index| first + (last - first) * index / (WAITING - 1) }
        end

        def length(known)
          any?(ANY) ? @random.rand * Handoff::LONGEST_NS : limited([known, 1].max * handoff_factor)
        end

        def handoff_factor = Math.exp(HANDOFF * normal)

        def limited(ns) = ns.clamp(0, Handoff::LONGEST_NS)

        # @param estimate [CoherencyEstimator::IntervalEstimate, nil]
        def growth(estimate)
          return between(0.0, MOST_GROWTH) unless estimate&.value
          deviation = normal / WeightedSample::NORMAL
          side = deviation.positive? ? estimate.high - estimate.value : estimate.value - estimate.low
          (estimate.value + deviation * side).clamp(0.0, [MOST_GROWTH, estimate.value].max)
        end

        def between(low, high) = low + @random.rand * (high - low)

        def any?(share) = @random.rand < share

        def one_of(all) = all[@random.rand(all.size)]

        def normal
          Math.sqrt(-2 * Math.log(1 - @random.rand)) * Math.cos(2 * Math::PI * @random.rand)
        end
      end
    end
  end
end
