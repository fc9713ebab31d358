# frozen_string_literal: true

require_relative "../errors"
require_relative "buckets"

module Holdup
  # A histogram as a short binary string: one format byte, then BER-compressed integers (pack "w"), which take one byte
  # below 128. Most rows hold few units spread thinly, so two shapes exist and the shorter is written:
  # - DENSE: count sum min max zero offset n, then n counts
  # - SPARSE: count sum min max zero n, then n pairs (slots since the last occupied one, count); the first gap is the offset
  module Histogram::Codec
    DENSE = 1
    SPARSE = 0x11

    module_function

    # @param histogram [Histogram]
    # @return [String] binary
    def dump(histogram)
      head = [histogram.count, histogram.sum, histogram.min || 0, histogram.max || 0, histogram.zero]
      if sparse?(histogram.counts)
        [SPARSE, *head, *pairs(histogram)].pack("Cw*")
      else
        [DENSE, *head, histogram.offset, histogram.counts.size, *histogram.counts].pack("Cw*")
      end
    end

    # @param bytes [String] what dump returned
    # @return [Histogram]
    # @raise [DamagedData]
    def load(bytes)
      numbers = bytes.unpack("w*", offset: 1)
      case bytes.getbyte(0)
      when DENSE then dense(numbers)
      when SPARSE then sparse(numbers)
      else damaged("its format byte is #{bytes.getbyte(0).inspect}")
      end
    rescue ArgumentError
      damaged("its numbers end early")
    end

    # A pair costs a byte for its gap where the other shape spends a byte for each empty bucket.
    def sparse?(counts) = counts.empty? || counts.count(0) > counts.size / 2

    def pairs(histogram)
      gap = histogram.offset
      pairs = []
      histogram.counts.each do |count|
        (pairs << gap << count) && gap = 0 unless count.zero?
        gap += 1
      end
      pairs.unshift(pairs.size / 2)
    end

    def dense(numbers)
      count, sum, min, max, zero, offset, size = numbers.shift(7)
      damaged("it says #{size.inspect} buckets and has #{numbers.size}") unless size == numbers.size && offset + size <= Histogram::Buckets::SLOTS
      Histogram.new(count:, sum:, min:, max:, zero:, offset:, counts: numbers.freeze)
    end

    def sparse(numbers)
      count, sum, min, max, zero, size = numbers.shift(6)
      damaged("it says #{size.inspect} pairs and has #{numbers.size / 2.0}") unless size && size * 2 == numbers.size
      Histogram.new(count:, sum:, min:, max:, zero:, offset: numbers.first || 0, counts: spread(numbers).freeze)
    end

    def spread(numbers)
      counts = []
      numbers.each_slice(2).with_index do |(gap, count), i|
        i.zero? ? counts << count : counts.concat(Array.new(gap - 1, 0)) << count
        damaged("a bucket lies outside of the range") if numbers.first + counts.size > Histogram::Buckets::SLOTS
      end
      counts
    end

    def damaged(reason) = raise(DamagedData.new("a histogram can't be read", reason))
    private_class_method :sparse?, :pairs, :dense, :sparse, :spread, :damaged
  end
end
