# frozen_string_literal: true

module Holdup
  module Analysis
    class Experiment
      # Blocks of time in which both arms took requests or jobs: each is compared with itself, so that what
      # hits both arms cancels. They replace Comparison::BlockBootstrap::TimeBlocks.
      class ArmBlocks
        attr_reader :length_s

        # @param sides [Array<Comparison::Side>] of both arms
        # @param until_s [Integer, nil] later blocks, and one that is not over yet, do not count
        # @param most [Integer, nil] only so many, the first ones
        def initialize(sides, length_s:, until_s: nil, most: nil)
          @length_s = length_s
          by_side = sides.map { |side| side.windows.map { |window| number(window.start_s) }.uniq }
          common = by_side.reduce(:&).sort
          common.select! { |number| (number + 1) * length_s <= until_s } if until_s
          @numbers = common.first(most || common.size)
        end

        def size = @numbers.size

        # @return [Integer, nil] first second of the first block
        def from_s
          @numbers.first && @numbers.first * length_s
        end

        def paired? = true

        # See TimeBlocks#held.
        def held = nil

        # @param _side [Integer] both have the same
        def numbers(_side) = @numbers

        def number(start_s) = start_s / length_s
      end
    end
  end
end
