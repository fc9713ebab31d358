# frozen_string_literal: true

require_relative "histogram/buckets"
require_relative "histogram_sum"
require_relative "histogram/codec"

module Holdup
  # A frozen distribution of durations in ns that merges exactly: counts of exponential buckets (see Buckets)
  # plus exact count, sum, min and max. Bounds of buckets are fixed, so histograms merge by addition.
  #
  # - `zero`: how many values were at most 1,024 ns
  # - `offset`: the slot of the first kept bucket; `counts`: bucket counts from there, no zeros at either end
  # - `min`, `max`: nil without values; a thread's account has a sum without values (count 0)
  class Histogram
    def self.empty = EMPTY

    # @return [Histogram] a sum (ns) without values, for accounts of threads outside of units
    def self.of_sum(sum)
      new(count: 0, sum:, min: nil, max: nil, zero: 0, offset: 0, counts: [])
    end

    # @param values [Enumerable<Integer>] nanoseconds
    def self.of(values)
      values.each_with_object(HistogramSum.new) { |value, sum| sum.record(value) }.to_histogram
    end

    # Merges all; far cheaper than merging one after the other.
    def self.sum(histograms)
      histograms.each_with_object(HistogramSum.new) { |histogram, sum| sum.add(histogram) }.to_histogram
    end

    # @raise [DamagedData]
    def self.load(bytes) = Codec.load(bytes)

    # @param bytes [String] concatenated dumps of any number of histograms, which it merges
    # @raise [DamagedData]
    def self.load_sum(bytes) = Codec.load_sum(bytes)

    # @return [Integer] bucket index by OpenTelemetry's rule; the oracle for the C half
    def self.index(value) = Buckets.index(value)

    # Trims zeros at both ends, so that equal distributions are equal objects.
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

    # What was added since an earlier snapshot of the same histogram. The exact min and max are lost: these
    # are the bounds of the occupied buckets.
    def -(other) = Difference.new(self, other).to_histogram

    # @param q [Float] 0.0..1.0
    # @return [Integer, nil] nanoseconds, nil without values; see Quantile for the error
    def quantile(q) = Quantile.new(self).at(q)

    # @return [Float, nil] nanoseconds
    def mean
      count.zero? ? nil : sum.fdiv(count)
    end

    # Has neither values nor a sum.
    def empty?
      count.zero? && sum.zero?
    end

    # Whether its buckets have as many values as it counts. Those of damaged data need not.
    def consistent? = zero + counts.sum == count

    def dump = Codec.dump(self)

    private

    def trim(offset, counts)
      first = counts.index(&:positive?) || counts.size
      kept = counts[first..(counts.rindex(&:positive?) || -1)]
      [kept.empty? ? 0 : offset + first, kept]
    end

    EMPTY = of_sum(0)
    private_constant :EMPTY

    # Number of values and their sum (ns), for callers that need no distribution: almost free to read.
    CountAndSum = Data.define(:count, :sum) do
      def self.of(histogram)
        new(count: histogram.count, sum: histogram.sum)
      end

      def self.sum(heads)
        new(count: heads.sum(&:count), sum: heads.sum(&:sum))
      end

      def empty?
        count.zero? && sum.zero?
      end

      # @return [Float, nil] nanoseconds
      def mean
        count.zero? ? nil : sum.fdiv(count)
      end
    end

    # The difference of two snapshots of one cumulative histogram. It is exact except for min and max, which
    # no snapshot keeps: they are the bounds of the outermost occupied buckets (at most 4.4 % off), or exact
    # where the later snapshot has a new extreme.
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
    # result is the geometric middle of that bucket, clamped to the exact min and max. The error is at most
    # 2.2 % (half a bucket) for every distribution; interpolating inside the bucket could be 4.4 % off, for
    # example for an endpoint that always takes the same time. No bound holds below 1,025 ns or above 73 min.
    class Quantile
      def initialize(histogram)
        @histogram = histogram
      end

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

      # A loop, because a report reads thousands of quantiles: with YJIT a block for each bucket takes three
      # times as long.
      def slot_of(rank)
        counts = @histogram.counts
        position = 0
        last = counts.size - 1
        position += 1 while position < last && (rank -= counts[position]).positive?
        @histogram.offset + position
      end

      def middle(lower, upper)
        lower = [lower, @histogram.min].max
        upper = [upper, @histogram.max].min
        Math.sqrt(lower * upper).round.clamp(lower, upper)
      end
    end
  end
end
