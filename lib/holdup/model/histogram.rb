# frozen_string_literal: true

require_relative "histogram/buckets"
require_relative "histogram_sum"
require_relative "histogram/codec"

module Holdup
  # A frozen distribution of durations in nanoseconds that merges exactly: counts of exponential buckets (see
  # Buckets) plus exact count, sum, min and max. The buckets never move, so merging is adding, in any order.
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
    def self.of(values)
      values.each_with_object(HistogramSum.new) { |value, sum| sum.record(value) }.to_histogram
    end

    # @return [Histogram] all of them merged; far cheaper than one merge after the other
    def self.sum(histograms)
      histograms.each_with_object(HistogramSum.new) { |histogram, sum| sum.add(histogram) }.to_histogram
    end

    # @param bytes [String] from dump
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
    def record(value)
      HistogramSum.new.add(self).record(value).to_histogram
    end

    def merge(other)
      HistogramSum.new.add(self).add(other).to_histogram
    end

    # What was added since an earlier snapshot of the same growing histogram.
    # @param other [Histogram] the earlier snapshot
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

    # How many values a histogram has, and their sum (ns), where the distribution is not asked for: it is
    # nearly free to read.
    CountAndSum = Data.define(:count, :sum) do
      def self.of(histogram)
        new(count: histogram.count, sum: histogram.sum)
      end

      # @param heads [Enumerable<Histogram, CountAndSum>]
      def self.sum(heads)
        new(count: heads.sum(&:count), sum: heads.sum(&:sum))
      end

      # @return [Float, nil] nanoseconds
      def mean
        count.zero? ? nil : sum.fdiv(count)
      end
    end

    # The difference of two snapshots of one cumulative histogram. Everything is exact but min and max: those
    # of the difference were never kept, so they are taken from the outermost occupied buckets (at most 4.4 %
    # off), or exactly where the later snapshot set a new extreme.
    class Difference
      def initialize(later, earlier)
        @later = later
        @earlier = earlier
      end

      # @raise [ArgumentError] when `earlier` is not a beginning of `later`
      def to_histogram
        unless numbers.none?(&:negative?) && counts.none?(&:negative?)
          raise ArgumentError, "not an earlier snapshot of the same histogram"
        end
        count, sum, zero = numbers
        Histogram.new(count:, sum:, zero:, min:, max:, offset: 0, counts:)
      end

      private

      def numbers
        %i[count sum zero].map { |name| @later.public_send(name) - @earlier.public_send(name) }
      end

      def counts
        @counts ||= Array.new(Buckets::SLOTS, 0).tap do |slots|
          @later.counts.each_with_index { |count, i| slots[@later.offset + i] += count }
          @earlier.counts.each_with_index { |count, i| slots[@earlier.offset + i] -= count }
        end
      end

      def min
        return @later.min if @later.min.nil? || new_extreme?(:min) || numbers.last.positive?
        slot = counts.index(&:positive?)
        slot ? [Buckets.first(slot), @later.min].max : @later.min
      end

      def max
        return @later.max if @later.max.nil? || new_extreme?(:max)
        slot = counts.rindex(&:positive?)
        [slot ? Buckets.last(slot) : Buckets::FLOOR_NS, @later.max].min
      end

      def new_extreme?(name)
        @later.public_send(name) != @earlier.public_send(name)
      end
    end

    # Reads a quantile by nearest rank: the value of rank ceil(q * count) lies in a known bucket, and the
    # answer is the geometric middle of that bucket, cut to the exact min and max. So the error is at most
    # 2.2 % for *every* distribution (half of a bucket). Interpolating by rank inside the bucket would look
    # smoother and could be 4.4 % off, which is what an endpoint that always takes the same time would get.
    #
    # Outside the kept range (up to 1,024 ns, above 73 minutes) there is no such bound.
    class Quantile
      def initialize(histogram)
        @histogram = histogram
      end

      # @param q [Float] 0.0..1.0
      # @return [Integer, nil] nanoseconds
      def at(q)
        raise ArgumentError, "a quantile lies between 0 and 1, not at #{q}" unless (0..1).cover?(q)
        return if @histogram.count.zero?
        rank = [(q * @histogram.count).ceil, 1].max
        return @histogram.min if rank == 1
        return @histogram.max if rank == @histogram.count
        estimate(rank)
      end

      private

      def estimate(rank)
        return middle(0, Buckets::FLOOR_NS) if rank <= @histogram.zero
        slot = slot_of(rank - @histogram.zero)
        last = (slot == Buckets::SLOTS - 1) ? @histogram.max : Buckets.last(slot)
        middle(Buckets::BOUNDS[slot], last)
      end

      def slot_of(rank)
        position = @histogram.counts.index { |count| (rank -= count) <= 0 }
        @histogram.offset + (position || @histogram.counts.size - 1)
      end

      def middle(lower, upper)
        lower = [lower, @histogram.min].max
        upper = [upper, @histogram.max].min
        Math.sqrt(lower * upper).round.clamp(lower, upper)
      end
    end
  end
end
