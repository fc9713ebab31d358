# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # A distribution whose values weigh something: the buckets of Holdup::Histogram with masses instead of
      # counts. Masses adds many of them up.
      #
      # Its quantiles lie between the bounds of a bucket where the mass says (on the scale of logarithms), and
      # not in the middle of it: a comparison would see nothing, or a step of 4.4 %. For values that are all
      # alike that may be 2.2 % off the truth.
      class WeightedHistogram
        FLOOR_NS = Histogram::Buckets::FLOOR_NS
        BOUNDS = Histogram::Buckets::BOUNDS
        SIZE = Histogram::Buckets::SLOTS + 1

        # @param histogram [Histogram]
        # @return [WeightedHistogram]
        def self.of(histogram)
          histogram.zero.zero? ? new(histogram.offset + 1,
            histogram.counts) : new(0, [histogram.zero, *Array.new(histogram.offset, 0), *histogram.counts])
        end

        # @param values [Enumerable<(Integer, Float)>] ns and weight
        # @return [WeightedHistogram]
        def self.weighted(values)
          masses = Array.new(SIZE, 0.0)
          values.each { |ns, weight| masses[(ns <= FLOOR_NS) ? 0 : Histogram::Buckets.slot(ns) + 1] += weight }
          first = masses.index(&:positive?) || 0
          new(first, masses[first..(masses.rindex(&:positive?) || -1)])
        end

        # @param bucket [Integer]
        # @param share [Float] of its own mass that lies below
        # @return [Float] ns
        def self.value(bucket, share)
          return FLOOR_NS * share if bucket.zero?
          low = BOUNDS[bucket - 1]
          high = BOUNDS[bucket]
          low * (high.fdiv(low)**share)
        end

        # @return [Float]
        attr_reader :mass

        # @param first [Integer] number of the first bucket that has any; 0 has what is at most FLOOR_NS
        # @param masses [Array<Numeric>] from there on
        def initialize(first, masses)
          @first = first
          @masses = masses
          @mass = masses.sum.to_f
        end

        # @return [Array(Integer, Array<Numeric>)] number of its first bucket, and the masses from there on
        def row = [@first, @masses]

        # @param share [Float] 0.0..1.0
        # @return [Float, nil] ns; nil without any mass
        def quantile(share)
          left = share * @mass
          @masses.each_with_index do |mass, index|
            return self.class.value(@first + index, left / mass) if mass.positive? && left <= mass
            left -= mass
          end
          @mass.positive? ? BOUNDS.last.to_f : nil
        end
      end
    end
  end
end
