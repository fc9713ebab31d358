# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # Draws the blocks of both sides anew, with replacement, and sees how much a figure moves. Blocks,
      # because units of the same minutes have met the same load: taken singly they would promise intervals
      # that hold the truth in a fifth of the cases. What two sides did in the same blocks is drawn together;
      # then what hits both cancels.
      #
      # Drawing from n blocks finds (n - 1)/n of their variance, and the deviation itself is uncertain when n
      # is small; both are made up for, the second by Student's distribution in Estimate.
      class BlockBootstrap
        ROUNDS = 200
        # Of fewer nothing can be said.
        FEWEST = 3

        # @param before [Integer] blocks
        # @param after [Integer]
        # @param paired [Boolean] whether they are the same blocks of time, in the same order
        # @param seed [Integer] the same seed, the same draws
        def initialize(before, after, paired:, rounds: ROUNDS, seed: 1)
          @sizes = [before, after]
          @paired = paired
          @rounds = rounds
          @seed = seed
        end

        # @return [Boolean]
        def possible? = @sizes.min >= FEWEST

        # @yieldparam before [Array<Integer>] how often each block was drawn
        # @yieldparam after [Array<Integer>]
        # @return [Array] what the block returned, round by round; empty where there are too few blocks
        def rounds
          return [] unless possible?
          random = Random.new(@seed)
          Array.new(@rounds) do
            before = draw(@sizes.first, random)
            yield before, @paired ? before : draw(@sizes.last, random)
          end
        end

        # @param pairs [Array<(Float, Float)>] a figure of both sides, round by round
        # @param ratio [Boolean] whether that of the logarithm of their ratio is wanted, else that of their
        #   difference
        # @return [Array(Float, Float)] standard error and its degrees of freedom
        def deviation(pairs, ratio:)
          pairs = scaled(pairs) if ratio
          befores, afters = pairs.transpose.map { |values| variance(values) }
          total = variance(pairs.map { |before, after| after - before })
          [Math.sqrt(total * inflation(befores, afters)), freedom(befores, afters)]
        end

        private

        # A side that is 0 in some draw has no logarithm there: then in parts of the mean, which is the same
        # for small differences.
        def scaled(pairs)
          return pairs.map { |pair| pair.map { |value| Math.log(value) } } if pairs.flatten.all?(&:positive?)
          mean = pairs.flatten.sum / pairs.flatten.size
          mean.zero? ? pairs : pairs.map { |pair| pair.map { |value| value / mean } }
        end

        def draw(size, random)
          drawn = Array.new(size, 0)
          size.times { drawn[random.rand(size)] += 1 }
          drawn
        end

        def inflation(before, after)
          weights = (before + after).zero? ? [1, 1] : [before, after]
          weights.zip(@sizes).sum { |weight, size| weight * size.fdiv(size - 1) } / weights.sum
        end

        def freedom(before, after)
          return @sizes.min - 1 if @paired || (before + after).zero?
          StudentDistribution.freedom([before, after], @sizes)
        end

        def variance(values)
          mean = values.sum / values.size
          values.sum { |value| (value - mean)**2 } / (values.size - 1)
        end
      end
    end
  end
end
