# frozen_string_literal: true

module Holdup
  module Analysis
    class Experiment
      # When to look at an experiment, fixed before it begins: after so many blocks of time. Where looks were
      # possible at any time, one of them would find a difference between equals sooner or later.
      #
      # - `block_s`: seconds of a block; `blocks`: their number at the planned end; `looks`: number of looks
      LookSchedule = Data.define(:block_s, :blocks, :looks) do
        # @param planned_s [Integer] the planned length of the experiment
        # @param shortest_s [Integer] blocks are at least so long: the stored windows, or both turns of a
        #   switchback
        # @param looks [Integer, nil] nil: as many as have enough new blocks
        def self.of(planned_s, shortest_s: 60, looks: nil)
          known = [*Comparison::BlockBootstrap::TimeBlocks::LENGTHS_S,
            *Comparison::BlockBootstrap::TimeBlocks::LONGER_S]
          lengths = known.select { |seconds| (seconds % shortest_s).zero? }
          block_s = lengths.reverse.find { |seconds| seconds * self::WANTED <= planned_s } || shortest_s
          blocks = planned_s / block_s
          looks ? new(block_s:, blocks:, looks:) : of_blocks(blocks, block_s:)
        end

        # With as many looks as have enough new blocks.
        def self.of_blocks(blocks, block_s:)
          new(block_s:, blocks:, looks: (blocks / self::BLOCKS_A_LOOK).clamp(1, self::MOST))
        end

        def planned_s = block_s * blocks

        # @return [Array<Integer>] blocks at each look
        def sizes
          Array.new(looks) { |look| blocks * (look + 1) / looks }
        end

        # The looks that are possible with so many blocks.
        # @param over [Boolean] whether no more are to come: then the last look is now
        # @return [Array<Integer>] blocks at each
        def reached(count, over: false)
          count = [count, blocks].min
          return sizes.select { |size| size <= count } unless over
          [*sizes.select { |size| size < count }, count]
        end

        # @param sizes [Array<Integer>] of reached
        # @param outcomes [Integer] figures that are judged at each look (Bonferroni's correction)
        # @return [Array<Float>] level of the intervals at each look
        def levels(sizes, outcomes:, over: false, alpha: self.class::ALPHA)
          return [] if sizes.empty?
          spending = AlphaSpending.new(over ? sizes : self.sizes, planned: blocks, alpha: alpha / outcomes)
          spending.levels.first(sizes.size)
        end
      end

      # Share of experiments with equals in which a look may find something.
      LookSchedule::ALPHA = 0.05
      # More looks gain little time: an experiment with five ends nearly as early as one with ten.
      LookSchedule::MOST = 5
      LookSchedule::BLOCKS_A_LOOK = 10
      # Blocks at the end, if there is time for them: correlation between blocks can be estimated then.
      LookSchedule::WANTED = 30
      # Fewer blocks give no verdict.
      LookSchedule::FEWEST = 6
    end
  end
end
