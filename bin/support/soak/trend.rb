# frozen_string_literal: true

module Soak
  # Whether a figure grows. The slope is the median of the slopes between all pairs of points (Theil 1950);
  # its interval comes from the distribution of Kendall's S (Sen 1968, Journal of the American Statistical
  # Association 63, 1379-1389). Points are medians of long blocks of time, because neighbouring samples of a
  # process are alike: single samples would make the interval too narrow.
  class Trend
    BLOCKS = 12
    # With fewer points there is no interval of 90 %.
    FEWEST = 5
    # Of a standard normal distribution: 5 % lie above it.
    QUANTILE = 1.645
    # Growth of an hour, as a part of the first value, that nobody would notice.
    TOLERANCE = 0.02

    attr_reader :points

    # @param values [Array<Array(Numeric, Numeric)>] seconds and value
    # @return [Trend] of the medians of blocks of equal length
    def self.of(values, blocks: BLOCKS)
      new(blocks(values, blocks).map { |block| [middle(block.map(&:first)), middle(block.map(&:last))] })
    end

    # @yieldparam block [Array] the values of a block of time
    # @return [Array<Array>] at most so many, each with values
    def self.blocks(values, count = BLOCKS)
      return [] if values.empty?
      from, to = values.map(&:first).minmax
      length = (to - from).fdiv(count).nonzero? || 1
      values.group_by { |at, _| [((at - from) / length).floor, count - 1].min }.sort.map(&:last)
    end

    # @return [Float] median
    def self.middle(values)
      sorted = values.sort
      half = sorted.size / 2
      sorted.size.odd? ? sorted[half].to_f : (sorted[half - 1] + sorted[half]) / 2.0
    end

    # @param points [Array<Array(Numeric, Numeric)>] seconds and value
    def initialize(points)
      @points = points
    end

    # @return [Trend] of the differences to another one with points at the same times
    def -(other)
      pairs = @points.zip(other.points).reject { |_, control| control.nil? }
      self.class.new(pairs.map { |(at, value), (_, control)| [at, value - control] })
    end

    # @return [Float, nil]
    def first = @points.first&.last

    # @return [Float, nil]
    def last = @points.last&.last

    # @return [Float, nil] per hour
    def slope = slopes.empty? ? nil : Trend.middle(slopes)

    # @return [Range<Float>, nil] of 90 %, per hour; nil with too few points
    def interval
      count = @points.size
      return if count < FEWEST
      spread = QUANTILE * Math.sqrt(count * (count - 1) * (2 * count + 5) / 18.0)
      below = [((slopes.size - spread) / 2).floor - 1, 0].max
      slopes[below]..slopes[slopes.size - 1 - below]
    end

    # @param whole [Numeric] the value of which the tolerance is a part
    # @return [Symbol] :flat, :grows, or :unknown where the interval is too wide to say
    def verdict(whole: first, tolerance: TOLERANCE)
      return :unknown unless interval
      return :flat if interval.end <= whole.to_f.abs * tolerance
      interval.begin.positive? ? :grows : :unknown
    end

    private

    def slopes
      @slopes ||= @points.combination(2).filter_map do |(from, low), (to, high)|
        (high - low) * 3600.0 / (to - from) if to != from
      end.sort
    end
  end
end
