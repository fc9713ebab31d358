# frozen_string_literal: true

require_relative "histogram/buckets"
require_relative "histogram_sum"
require_relative "histogram/codec"

module Holdup
  # A frozen distribution of durations in nanoseconds that merges exactly: counts of exponential buckets (see
  # Buckets) plus exact count, sum, min and max. Because the buckets never move, merging is adding, in any
  # order.
  #
  # - `zero`: how many values were at most 1,024 ns
  # - `offset`: the slot of the first kept bucket; `counts`: bucket counts from there, no zeros at either end
  # - `min` and `max` are nil when there are no values; a thread's account has a sum without values (count 0)
  class Histogram
    # @return [Histogram] without values
    def self.empty = EMPTY

    # @param sum [Integer] nanoseconds
    # @return [Histogram] that has a sum and no values, for accounts of threads outside of units
    def self.of_sum(sum)
      new(count: 0, sum:, min: nil, max: nil, zero: 0, offset: 0, counts: [])
    end

    # @param values [Enumerable<Integer>] nanoseconds
    # @return [Histogram]
    def self.of(values)
      values.each_with_object(HistogramSum.new) { |value, all| all.record(value) }.to_histogram
    end

    # @param histograms [Enumerable<Histogram>]
    # @return [Histogram] all of them merged; far cheaper than one merge after the other
    def self.sum(histograms)
      histograms.each_with_object(HistogramSum.new) { |one, all| all.add(one) }.to_histogram
    end

    # @param bytes [String] from dump
    # @return [Histogram]
    # @raise [DamagedData]
    def self.load(bytes) = Codec.load(bytes)

    # @param bytes [String] from dump, of any number of histograms, one behind the other
    # @return [Histogram] all of them merged
    # @raise [DamagedData]
    def self.load_sum(bytes) = Codec.load_sum(bytes)

    # @param value [Integer] nanoseconds
    # @return [Integer] bucket index by OpenTelemetry's rule; the oracle for the C half
    def self.index(value) = Buckets.index(value)

    # Trims the zeros at both ends, so that equal distributions are equal objects.
    def initialize(count:, sum:, min:, max:, zero:, offset:, counts:)
      offset, counts = trim(offset, counts) if counts.empty? || counts.first.zero? || counts.last.zero?
      min = max = nil if count.zero?
      super(count:, sum:, min:, max:, zero:, offset:, counts: counts.frozen? ? counts : counts.dup.freeze)
    end

    # @param value [Integer] nanoseconds
    # @return [Histogram]
    def record(value)
      HistogramSum.new.add(self).record(value).to_histogram
    end

    # @param other [Histogram]
    # @return [Histogram]
    def merge(other)
      HistogramSum.new.add(self).add(other).to_histogram
    end

    # What was added since an earlier snapshot of the same growing histogram.
    # @param earlier [Histogram]
    # @return [Histogram] its min and max are the bounds of its occupied buckets, because the exact ones are
    #   lost
    def -(other) = Difference.new(self, other).to_histogram

    # @param q [Float] 0.0..1.0
    # @return [Integer, nil] nanoseconds; nil when there are no values
    # @see Quantile for the error
    def quantile(q) = Quantile.new(self).at(q)

    # @return [Float, nil] nanoseconds
    def mean
      count.zero? ? nil : sum.fdiv(count)
    end

    # @return [Boolean] without values and without a sum
    def empty?
      count.zero? && sum.zero?
    end

    # @return [String] binary, see Codec
    def dump = Codec.dump(self)

    private

    def trim(offset, counts)
      first = counts.index(&:positive?) || counts.size
      kept = counts[first..(counts.rindex(&:positive?) || -1)]
      [kept.empty? ? 0 : offset + first, kept]
    end

    EMPTY = of_sum(0)
    private_constant :EMPTY
  end
end

require_relative "histogram/difference"
require_relative "histogram/quantile"
