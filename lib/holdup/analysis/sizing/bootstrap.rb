# frozen_string_literal: true

require_relative "traffic"

module Holdup
  module Analysis
    module Sizing
      # How sure a figure is: it is found again and again from blocks of the recording that are drawn with replacement. Blocks,
      # because minutes are not independent: intervals from single units would cover the truth in 13 to 32 % of cases where 95 %
      # are promised.
      #
      # Source: Politis & Romano, block bootstrap.
      class Bootstrap
        # The middle 90 %.
        LOW = 0.05
        HIGH = 0.95
        ROUNDS = 40

        # @param traffic [Traffic]
        # @param rounds [Integer]
        # @param seed [Integer] the same seed, the same interval
        def initialize(traffic, rounds: ROUNDS, seed: 1)
          @traffic = traffic
          @rounds = rounds
          @seed = seed
        end

        # @yieldparam traffic [Traffic]
        # @yieldparam seed [Integer]
        # @yieldreturn [Numeric]
        # @return [Range<Float>] 90 %
        def interval(&)
          random = Random.new(@seed)
          values = Array.new(@rounds) { |round| yield(resample(random), @seed + round) }.sort
          at(values, LOW)..at(values, HIGH)
        end

        private

        def resample(random)
          blocks = @traffic.blocks
          @traffic.with(Array.new(blocks.size) { blocks[random.rand(blocks.size)] })
        end

        def at(values, share) = values[((values.size - 1) * share).round]
      end
    end
  end
end
