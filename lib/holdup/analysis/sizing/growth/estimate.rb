# frozen_string_literal: true

module Holdup
  module Analysis
    module Sizing
      class Growth
      end

      # What a recording says about growth.
      #
      # - `value`: 0.03: each further unit in flight lengthens running times by 3 %; nil when there are too few units
      # - `low`, `high`: the 90 % interval. Its ends are at most LOWEST and HIGHEST, where nobody has seen one
      # - `gc`: the part of `value` that is garbage collection; nil when nobody knows
      # - `alone_ns`: mean running time of a unit that is alone
      # - `in_flight`: mean; `spread`: by how much it varied so that others can't have caused it; `units`: how many were compared;
      #   `blocks`: of time, how many equal ones would say as much
      Growth::Estimate = Data.define(:value, :low, :high, :gc, :alone_ns, :in_flight, :spread, :units, :blocks) do
        # @return [Estimate] that says nothing
        def self.unknown(units) = new(value: nil, low: self::LOWEST, high: self::HIGHEST, gc: nil, alone_ns: nil, in_flight: nil, spread: 0.0, units:, blocks: 0.0)

        # @param evidence [Evidence]
        # @param blocks [Float]
        # @return [Estimate]
        def self.of(evidence, blocks)
          lowest = [self::LOWEST, -0.9 / [evidence.others.max, 1.0].max].max
          certain = student(blocks - 1)
          value, low, high = [0.0, certain, -certain].map { |bound| where(evidence, blocks, bound, lowest) }
          new(value:, low:, high:, gc: nil, alone_ns: evidence.alone_ns(value), in_flight: 1 + evidence.mean_of { |index| evidence.others[index] },
            spread: evidence.spread, units: evidence.size, blocks:)
        end

        # The growth at which the scores are so many of their standard errors above 0; it falls with growth.
        def self.where(evidence, blocks, bound, low)
          high = self::HIGHEST
          return low if ratio(evidence, blocks, low) < bound
          return high if ratio(evidence, blocks, high) > bound
          self::STEPS.times do
            middle = (low + high) / 2
            (ratio(evidence, blocks, middle) > bound) ? low = middle : high = middle
          end
          (low + high) / 2
        end

        def self.ratio(evidence, blocks, growth)
          scores = evidence.scores(growth)
          total = scores.sum
          error = Math.sqrt(scores.sum { |score| (score - total / scores.size)**2 } * blocks / (blocks - 1))
          error.zero? ? 0.0 : total / error
        end

        # 95th percentile of Student's t (Cornish and Fisher's expansion, 1 % off at 3 degrees).
        def self.student(degrees)
          z = 1.6449
          z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2) + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
        end
        private_class_method :where, :ratio, :student

        # @return [Boolean] whether the recording varies enough to tell growths apart that matter
        def enough? = !value.nil? && high - low <= self.class::WIDEST

        # @return [Boolean] whether it certainly costs something
        def grows? = !value.nil? && low.positive?

        # @return [Float, nil] the part that is not garbage collection: what switching costs caches
        def rest = gc && value - gc

        # @return [Float] what models use: a growth that nobody can tell from none, or of which nobody knows, is none
        def for_models = grows? ? value : 0.0
      end

      Growth::Estimate::LOWEST = -0.1
      Growth::Estimate::HIGHEST = 0.6
      Growth::Estimate::STEPS = 14
      # Between 0 and 6 % lie 27 % of capacity at 5 threads.
      Growth::Estimate::WIDEST = 0.06
    end
  end
end
