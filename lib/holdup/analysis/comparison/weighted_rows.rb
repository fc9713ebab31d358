# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # Rows of numbers, one for each block of time, that are added up as often as their block was drawn:
      # hundreds of times for an interval. So they are packed, and added up by the extension where it is
      # there.
      class WeightedRows
        FORMAT = "d*"
        ENGINE = defined?(MassDraws) ? MassDraws : InRuby
        private_constant :ENGINE

        # @param rows [Array<(Integer, Array<Numeric>), nil>] the number of the first column, and what stands
        #   there and in those behind it; nil for nothing
        # @param columns [Integer]
        def initialize(rows, columns)
          @rows = rows.map { |first, numbers| [first.to_i, numbers.to_a.size, *numbers].pack(FORMAT) }.join
          @columns = columns
          @empty = rows.none? { |row| row&.last&.any? }
        end

        # @return [Boolean] whether there is nothing to draw
        def empty? = @empty

        # @param times [Array<Integer>] for each row
        # @return [String] their sum, packed
        def drawn(times)
          ENGINE.total(@rows, times, @columns)
        end

        # @param sums [Array<String>] from drawn
        # @param weights [Array<Float>] how much of the mix each is, whatever its mass
        # @return [String] packed
        def self.mix(sums, weights)
          ENGINE.mix(sums, weights)
        end

        # @param mix [String]
        # @param share [Float] 0.0..1.0
        # @return [Array(Integer, Float), nil] the column in which that share of the mass is reached, and
        #   which share of its own; nil without any mass
        def self.find(mix, share) = ENGINE.find(mix, share)
      end
    end
  end
end
