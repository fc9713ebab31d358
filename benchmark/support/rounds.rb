# frozen_string_literal: true

module Bench
  # Measures all arms in each round, every round in another order: what changes slowly (heat, neighbours) meets all arms
  # alike.
  module Rounds
    # @param arms [Array]
    # @param count [Integer] rounds
    # @yieldparam arm one of the arms
    # @yieldreturn [Object] a sample
    # @return [Hash{Object => Array}] arm => one sample a round
    def self.call(arms, count)
      samples = arms.to_h { |arm| [arm, []] }
      count.times do |round|
        order = round.odd? ? arms.reverse : arms
        order.rotate(round).each { |arm| samples[arm] << yield(arm) }
      end
      samples
    end
  end
end
