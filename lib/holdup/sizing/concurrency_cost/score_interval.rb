# frozen_string_literal: true

module Holdup
  module Sizing
    class ConcurrencyCost
    end

    # The value that blocks of time agree on, and the 90 % interval of those that they don't contradict: a
    # value is contradicted when the blocks' scores are too far from 0 for what they vary.
    module ConcurrencyCost::ScoreInterval
      STEPS = 14
      Z = 1.6449

      module_function

      # @param from [Float] lowest value that is looked at
      # @param to [Float] highest
      # @param blocks [Float] how many equal ones would say as much
      # @yieldparam value [Float]
      # @yieldreturn [Array<Float>] the score of each block, which falls as the value rises
      # @return [Array<Float>] value, low, high
      def of(from, to, blocks, &)
        certain = student(blocks - 1)
        [0.0, certain, -certain].map { |bound|
          where(from, to, bound) { |value| ratio(yield(value), blocks) }
        }
      end

      # The value at which the scores are so many of their standard errors above 0.
      def where(low, high, bound)
        return low if yield(low) < bound
        return high if yield(high) > bound
        STEPS.times do
          middle = (low + high) / 2
          (yield(middle) > bound) ? low = middle : high = middle
        end
        (low + high) / 2
      end

      def ratio(scores, blocks)
        total = scores.sum
        error = Math.sqrt(scores.sum { |score| (score - total / scores.size)**2 } * blocks / (blocks - 1))
        error.zero? ? 0.0 : total / error
      end

      # 95th percentile of Student's t (Cornish and Fisher's expansion, 1 % off at 3 degrees).
      def student(degrees)
        Z + (Z**3 + Z) / (4 * degrees) + (5 * Z**5 + 16 * Z**3 + 3 * Z) / (96 * degrees**2) + (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / (384 * degrees**3)
      end
    end
  end
end
