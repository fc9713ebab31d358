# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # How far a block is like the one before it. Drawing blocks anew takes them for independent; where
      # swings of the load last longer than a block, the mean of a side is less sure than that, and the blocks
      # differ less than they would in the long run.
      #
      # The correlation of neighbours is estimated from both sides together, what it is too low by in few
      # blocks is made up for, and both effects are those of a process whose next value depends on the last
      # one alone.
      #
      # Source: Marriott & Pope, Bias in the estimation of autocorrelations (Biometrika 41, 1954); Box,
      # Jenkins & Reinsel, Time Series Analysis, 2.1 (variance of a mean).
      class Autocorrelation
        # Of more nobody could tell a swing from a change.
        MOST = 0.9

        # @param sides [Array<Array<Hash{Symbol => Float, nil}>>] figures of each block in the order of time,
        #   by names of Metric
        # @param paired [Boolean] whether the blocks of both sides are the same: what counts then is how they
        #   differ
        def initialize(sides, paired:)
          @sides = sides
          @paired = paired
          @widenings = {}
        end

        # @param metric [Metric]
        # @return [Float] so many times wider than of independent blocks its interval is; 1.0 and more
        def widening(metric)
          key = @sides.flatten.first.key?(metric.name) ? metric.name : :"#{metric.family}_mean"
          @widenings[key] ||= Math.sqrt(inflation(series(key)))
        end

        private

        # @return [Array<Array<Float>>]
        def series(key)
          values = @sides.map { |blocks| blocks.map { |figures| figures[key].to_f } }
          if values.flatten.all?(&:positive?)
            values = values.map { |side| side.map { |value| Math.log(value) } }
          end
          @paired ? [values.transpose.map { |before, after| after - before }] : values
        end

        # What the variance of a mean is against what independent blocks of the same spread would make it.
        def inflation(series)
          blocks = series.sum(&:size).fdiv(series.size)
          correlation = correlation(series, blocks)
          mean = 1 + 2 * (1...blocks.to_i).sum { |lag| (1 - lag / blocks) * correlation**lag }
          mean / ((blocks - mean) / (blocks - 1))
        end

        def correlation(series, blocks)
          around = series.map { |values| values.map { |value| value - values.sum / values.size } }
          squares = around.sum { |values| values.sum { |value| value**2 } }
          return 0.0 if squares.zero?
          found = around.sum { |values| values.each_cons(2).sum { |one, other| one * other } } / squares
          (found + (1 + 3 * found) / blocks).clamp(0.0, MOST)
        end
      end
    end
  end
end
