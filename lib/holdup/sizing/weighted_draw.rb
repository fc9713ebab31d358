# frozen_string_literal: true

module Holdup
  module Sizing
    # Draws by weight.
    class WeightedDraw
      # @param weighted [Array<(Object, Float)>]
      def initialize(weighted)
        @things = weighted.map(&:first)
        sum = 0.0
        @bounds = weighted.map { |_, weight| sum += weight }
      end

      # @param random [Random]
      def draw(random)
        chosen = random.rand * @bounds.last
        @things[@bounds.bsearch_index { |bound| bound > chosen } || -1]
      end
    end
  end
end
