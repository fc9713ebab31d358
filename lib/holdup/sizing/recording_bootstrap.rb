# frozen_string_literal: true

module Holdup
  module Sizing
    # How certain a figure is: recomputes it from blocks of the recording drawn with replacement. Minutes are
    # not independent: intervals from single units would cover the truth in 13 to 32 % of cases instead of 95
    # %. Source: Politis & Romano, block bootstrap.
    class RecordingBootstrap
      # The middle 90 %.
      LOW = 0.05
      HIGH = 0.95
      ROUNDS = 40

      def initialize(traffic, rounds: ROUNDS, seed: 1)
        @traffic = traffic
        @rounds = rounds
        @seed = seed
      end

      # Yields resampled traffic and a seed; the block returns the figure.
      def interval(&)
        random = Random.new(@seed)
        self.class.middle(Array.new(@rounds) { |round| yield(@traffic.resampled(random), @seed + round) })
      end

      def self.middle(values)
        sorted = values.sort
        low, high = [LOW, HIGH].map { |share| sorted[((sorted.size - 1) * share).round] }
        low..high
      end
    end
  end
end
