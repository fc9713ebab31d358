# frozen_string_literal: true

require_relative "buckets"

module Holdup
  # Reads a quantile by nearest rank: the value of rank ceil(q * count) lies in a known bucket, and the answer
  # is the geometric middle of that bucket, cut to the exact min and max. So the error is at most 2.2 % for
  # *every* distribution (half of a bucket). Interpolating by rank inside the bucket would look smoother and
  # could be 4.4 % off, which is what an endpoint that always takes the same time would get.
  #
  # Outside the kept range (up to 1,024 ns, above 73 minutes) there is no such bound.
  class Histogram::Quantile
    # @param histogram [Histogram]
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
      return middle(0, Histogram::Buckets::FLOOR_NS) if rank <= @histogram.zero
      slot = slot_of(rank - @histogram.zero)
      last = (slot == Histogram::Buckets::SLOTS - 1) ? @histogram.max : Histogram::Buckets.last(slot)
      middle(Histogram::Buckets::BOUNDS[slot], last)
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
