# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # The stretches of time that are drawn anew. The load of a minute is like that of the minute before, so
      # blocks are as long as the recording allows: the fewer and longer, the less they have in common, and
      # that they are few is made up for. A block has all hosts and processes, for they share the load.
      class TimeBlocks
        LENGTHS_S = [60, 120, 300, 600, 1200, 1800, 3600].freeze
        ENOUGH = 6
        # Of days and weeks longer ones still, where there are more of them than that.
        LONGER_S = [10_800, 21_600, 43_200].freeze
        ENOUGH_LONGER = 12
        # Sides that have so many of their minutes in common were measured at the same time.
        TOGETHER = 0.75
        # Of intervals that say 95 %, so many held the truth in simulations of two times whose load is like
        # that of the minute before (correlation 0.8), by how long the blocks are at least.
        HELD = {60 => 0.7, 120 => 0.8, 300 => 0.88, 600 => 0.9}.freeze

        # @param covered_s [Integer] seconds that the shorter side has
        # @return [Integer] seconds of a block
        def self.length_s(covered_s)
          LONGER_S.reverse.find { |seconds| seconds * ENOUGH_LONGER <= covered_s } || LENGTHS_S.reverse.find { |seconds| seconds * ENOUGH <= covered_s } || LENGTHS_S.first
        end

        # @return [Integer] seconds
        attr_reader :length_s

        # @param before [Enumerable<Window>]
        # @param after [Enumerable<Window>]
        def initialize(before, after)
          @seconds = [before, after].map { |windows|
            windows.to_h { |window| [window.start_s, window.seconds] }
          }
          @starts = @seconds.map(&:keys)
          @length_s = [self.class.length_s(@seconds.map { |seconds| seconds.values.sum }.min), window_s].max
        end

        # @return [Boolean] whether what one side did can be held against what the other did in the same
        #   blocks
        def paired?
          @paired ||= @starts.all?(&:any?) && (@starts.reduce(:&).size >= TOGETHER * @starts.map(&:size).max)
        end

        # @return [Float, nil] see HELD; nil at the same time, when what hits both sides cancels
        def held
          paired? ? nil : HELD.select { |seconds, _| seconds <= length_s }.values.last
        end

        # @return [Array<Integer>] numbers of the blocks of the first side; of the second for 1
        def numbers(side)
          found = @starts.map { |starts| starts.map { |start_s| number(start_s) }.uniq.sort }
          paired? ? found.reduce(:&) : found[side]
        end

        # @param start_s [Integer] of a window
        # @return [Integer]
        def number(start_s) = start_s / length_s

        private

        # That of the longest window, or the next length that has room for it: where it was not measured all
        # the time it says less.
        def window_s
          longest_s = @seconds.flat_map(&:values).max || 0
          [*LENGTHS_S, *LONGER_S].find { |seconds| seconds >= longest_s } || longest_s
        end
      end
    end
  end
end
