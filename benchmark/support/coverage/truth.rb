# frozen_string_literal: true

require_relative "planted"

module Bench
  class Coverage
    # What a setting does with the planted units and costs: long simulations of it.
    class Truth
      # Units of each simulation; chance alone then changes what is served by half a percent.
      UNITS = 40_000
      SEED = 77
      PERCENTILE = 0.95

      # The same for all: costs do not change what units ask for.
      # @return [Holdup::Advise::Sizing::Trace]
      def self.units(count)
        @units ||= {}
        @units[count] ||= SimulatedRecording.new(seed: SEED, endpoints: Planted::ENDPOINTS).backlog(count)
      end

      # @param planted [Planted] `load`, `units` and `arrivals` may be others
      def initialize(planted, units: UNITS)
        @planted = planted
        @units = Truth.units(units)
        @ceilings = {}
        @gains = {}
      end

      # @param candidate [Holdup::Advise::Sizing::Candidate]
      # @return [Float] units per second while all threads have work
      def ceiling(candidate)
        @ceilings[candidate] ||= begin
          outcome = replay(@units, candidate, assignment: :shared)
          span = outcome.steady_span(SIZING::PoolThroughput::BacklogReplay::EDGE)
          outcome.ended(span).size * 1e9 / (span.end - span.begin)
        end
      end

      # @return [Float] the share of the response by which `other` waits less, both at the 95th percentile
      def gain(planted, other)
        amount = (planted.arrivals == :open) ? planted.load : planted.population
        key = [planted.now, amount, other]
        @gains[key] ||= begin
          outcomes = [planted.now, other].map { |candidate| served(planted, candidate) }
          waits = outcomes.map { |outcome| percentile(outcome.waits) }
          (waits.first - waits.last).fdiv(percentile(outcomes.first.column(:response)))
        end
      end

      private

      def served(planted, candidate)
        return closed(candidate, planted.population) unless planted.arrivals == :open
        replay(arriving(planted.load * ceiling(planted.now)), candidate, assignment: :random)
      end

      def closed(candidate, population)
        replay(@units, candidate, assignment: :random, most: population).since_admission(population)
      end

      def arriving(rate)
        random = Random.new(SEED)
        at_ns = 0.0
        @units.map { |unit| unit.with(arrival_ns: (at_ns -= Math.log(1 - random.rand) * 1e9 / rate).round) }
      end

      def replay(trace, candidate, **options)
        cost = SIZING::CoherencyCost.new(growth: @planted.growth)
        SIZING::Replay.call(trace, candidate.scenario(vcpus: Planted::VCPUS, cost:, seed: SEED,
          handoff_ns: @planted.handoff_ns, **options))
      end

      def percentile(values)
        values.sort[((values.size - 1) * PERCENTILE).round]
      end
    end
  end
end
