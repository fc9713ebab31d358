# frozen_string_literal: true

module Holdup
  module Sizing
    # How sure a figure is: it is found again and again from blocks of the recording that are drawn with
    # replacement. Blocks, because minutes are not independent: intervals from single units would cover the
    # truth in 13 to 32 % of cases where 95 % are promised.
    #
    # Source: Politis & Romano, block bootstrap.
    class RecordingBootstrap
      # The middle 90 %.
      LOW = 0.05
      HIGH = 0.95
      ROUNDS = 40

      # @param seed [Integer] the same seed, the same interval
      def initialize(traffic, rounds: ROUNDS, seed: 1)
        @traffic = traffic
        @rounds = rounds
        @seed = seed
      end

      # @return [Range<Float>] 90 %
      def interval(&)
        random = Random.new(@seed)
        self.class.middle(Array.new(@rounds) { |round| yield(@traffic.resampled(random), @seed + round) })
      end

      # @param values [Array<Numeric>] of all rounds
      # @return [Range<Numeric>] 90 % of them
      def self.middle(values)
        sorted = values.sort
        low, high = [LOW, HIGH].map { |share| sorted[((sorted.size - 1) * share).round] }
        low..high
      end
    end
  end
end
