# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # The stretches of time that are drawn anew. The load of a minute is like that of the minute before, so blocks are as long as
      # the recording allows: the fewer and longer, the less they have in common, and that they are few is made up for. A block
      # has all hosts and processes, for they share the load.
      class Blocks
        LENGTHS_S = [60, 120, 300, 600, 1200, 1800, 3600].freeze
        ENOUGH = 6
        # Sides that have so many of their minutes in common were measured at the same time.
        TOGETHER = 0.75

        # @return [Integer] seconds
        attr_reader :length_s

        # @param before [Enumerable<Window>]
        # @param after [Enumerable<Window>]
        def initialize(before, after)
          @starts = [before, after].map { |windows| windows.map(&:start_s).uniq }
          @window_s = [*before, *after].map(&:seconds).max || LENGTHS_S.first
          @length_s = length
        end

        # @return [Boolean] whether what one side did can be held against what the other did in the same blocks
        def paired? = @paired ||= @starts.all?(&:any?) && (@starts.reduce(:&).size >= TOGETHER * @starts.map(&:size).max)

        # @return [Array<Integer>] numbers of the blocks of the first side; of the second for 1
        def numbers(side)
          found = @starts.map { |starts| starts.map { |start_s| number(start_s) }.uniq.sort }
          paired? ? found.reduce(:&) : found[side]
        end

        # @param start_s [Integer] of a window
        # @return [Integer]
        def number(start_s) = start_s / length_s

        private

        def length
          covered_s = @starts.map(&:size).min * @window_s
          [LENGTHS_S.reverse.find { |seconds| seconds * ENOUGH <= covered_s } || LENGTHS_S.first, @window_s].max
        end
      end
    end
  end
end
