# frozen_string_literal: true

module Holdup
  module Lab
    # Measures all arms in each round, every round in another order: what changes slowly (heat, neighbours)
    # meets all arms alike.
    module Rounds
      # @param arms [Array]
      # @param count [Integer] rounds
      # @yieldparam arm one of the arms
      # @yieldreturn [Object] a sample
      # @return [Hash{Object => Array}] arm => one sample a round
      def self.call(arms, count)
        samples = arms.to_h { |arm| [arm, []] }
        count.times { |round| order(arms, round).each { |arm| samples[arm] << yield(arm) } }
        samples
      end

      # @param arms [Array]
      # @param round [Integer] from 0
      # @return [Array] in that round's order; in the first one as they are
      def self.order(arms, round)
        (round.odd? ? arms.reverse : arms).rotate(round / 2)
      end
    end
  end
end
