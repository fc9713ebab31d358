# frozen_string_literal: true

module Holdup
  class Collector
    # The drawing of one block of unit profiles as this collector sees it: it knows the lowest lots that it
    # has drawn so far, and so most units can be passed over by a look at when they started. What it draws too
    # many of (it does not know what the store has from before) the store leaves out.
    class ReservoirSampler
      # @return [Integer] units seen since the last `empty`
      attr_reader :seen

      # @param most [Integer] how many are kept of the block
      def initialize(most)
        @most = most
        @lots = []
        @limit = SampleBlock::DrawPriority::HIGHEST
        empty
      end

      # @return [void]
      def empty
        @seen = 0
        @drawn = []
      end

      # @param count [Integer] units that were there and can't be drawn any more
      # @return [void]
      def miss(count)
        @seen += count
      end

      # @param start_ns [Integer] of a unit
      # @yieldreturn [Object] that unit, only asked for when it is drawn
      # @return [void]
      def offer(start_ns)
        @seen += 1
        lot = SampleBlock::DrawPriority.of(start_ns)
        return if lot > @limit
        lower(lot)
        @drawn << [lot, yield]
      end

      # @return [Array<Object>] what was drawn since the last `empty`, without what lower lots have pushed out
      def drawn
        @drawn.filter_map { |lot, unit| unit if lot <= @limit }
      end

      private

      def lower(lot)
        @lots.insert(@lots.bsearch_index { |other| other > lot } || @lots.size, lot)
        @lots.pop if @lots.size > @most
        @limit = @lots.last if @lots.size == @most
      end
    end
  end
end
