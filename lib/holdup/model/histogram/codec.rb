# frozen_string_literal: true

require_relative "../errors"
require_relative "buckets"

module Holdup
  # A histogram as a short binary string: a format byte, then BER-compressed integers (pack "w"), which take
  # one byte below 128. Most rows hold few units in few buckets, so the shorter of two formats is written:
  # - DENSE: count sum min max zero offset n, then n counts
  # - SPARSE: count sum min max zero n, then n pairs (slots since the last occupied one, count)
  module Histogram::Codec
    DENSE = 1
    SPARSE = 0x11
    # The format byte and two numbers of 64 bits.
    HEAD_BYTES = 21

    module_function

    def dump(histogram)
      written(histogram) || write(histogram)
    end

    # @return [String] dump of Histogram.of_sum(sum)
    def dump_sum(sum) = [SPARSE, 0, sum, 0, 0, 0, 0].pack("Cw*")

    # @param bytes [String] a dump
    # @return [String] dump of its sum with another histogram
    # @raise [DamagedData]
    def merge(bytes, histogram)
      merged = HistogramDumps.merge(bytes, dump(histogram)) if defined?(HistogramDumps)
      merged || dump(load(bytes).merge(histogram))
    end

    # The C extension returns nil for numbers that are too large for it.
    def written(histogram)
      return unless defined?(HistogramDumps)
      HistogramDumps.dump(histogram.count, histogram.sum, histogram.min, histogram.max, histogram.zero,
        histogram.offset, histogram.counts)
    end

    def write(histogram)
      head = [histogram.count, histogram.sum, histogram.min || 0, histogram.max || 0, histogram.zero]
      if sparse?(histogram.counts)
        [SPARSE, *head, *pairs(histogram)].pack("Cw*")
      else
        [DENSE, *head, histogram.offset, histogram.counts.size, *histogram.counts].pack("Cw*")
      end
    end

    # @raise [DamagedData]
    def load(bytes)
      dumps, *numbers = read(bytes)
      return histogram(numbers) if dumps == 1
      numbers = numbers(bytes)
      loaded = shift_histogram(numbers)
      damaged("it goes on behind its end") if numbers.any?
      loaded
    end

    # @param bytes [String] concatenated dumps of any number of histograms, which it merges
    # @raise [DamagedData]
    def load_sum(bytes)
      dumps, *numbers = read(bytes)
      return histogram(numbers) if dumps
      numbers = numbers(bytes)
      sum = HistogramSum.new
      sum.add(shift_histogram(numbers)) until numbers.empty?
      sum.to_histogram
    end

    # The same, without the distribution.
    # @return [Histogram::CountAndSum]
    # @raise [DamagedData]
    def load_head_sum(bytes)
      dumps, count, sum = read(bytes)
      return Histogram::CountAndSum.new(count:, sum:) if dumps
      Histogram::CountAndSum.of(load_sum(bytes))
    end

    # @param bytes [String] a dump, or at least its first HEAD_BYTES
    # @raise [DamagedData]
    def head(bytes)
      _, count, sum = bytes.unpack("Cw2")
      sum ? Histogram::CountAndSum.new(count:, sum:) : damaged("its numbers end early")
    end

    # The C extension returns nil for damaged bytes.
    def read(bytes)
      defined?(HistogramDumps) && HistogramDumps.sum(bytes)
    end

    def histogram((count, sum, min, max, zero, offset, counts))
      Histogram.new(count:, sum:, min:, max:, zero:, offset:, counts: counts.freeze)
    end

    def numbers(bytes)
      bytes.unpack("w*")
    rescue ArgumentError
      damaged("its numbers end early")
    end

    # Removes one histogram from the front; its format byte is a number too.
    def shift_histogram(numbers)
      case (format = numbers.shift)
      when DENSE then dense(numbers.shift(7), numbers)
      when SPARSE then sparse(numbers.shift(6), numbers)
      else damaged("its format byte is #{format.inspect}")
      end
    end

    # A pair costs one byte for its gap, the dense format one byte for each empty bucket.
    def sparse?(counts)
      counts.empty? || counts.count(0) > counts.size / 2
    end

    def pairs(histogram)
      gap = histogram.offset
      pairs = []
      histogram.counts.each do |count|
        unless count.zero?
          pairs << gap << count
          gap = 0
        end
        gap += 1
      end
      pairs.unshift(pairs.size / 2)
    end

    def dense((count, sum, min, max, zero, offset, size), rest)
      unless size && size <= rest.size && offset + size <= Histogram::Buckets::SLOTS
        damaged("it says #{size.inspect} buckets and has #{rest.size}")
      end
      Histogram.new(count:, sum:, min:, max:, zero:, offset:, counts: rest.shift(size).freeze)
    end

    def sparse((count, sum, min, max, zero, size), rest)
      damaged("it says #{size.inspect} pairs and has #{rest.size / 2.0}") unless size && size * 2 <= rest.size
      pairs = rest.shift(size * 2)
      Histogram.new(count:, sum:, min:, max:, zero:, offset: pairs.first || 0, counts: spread(pairs).freeze)
    end

    # The first gap is the offset.
    def spread(pairs)
      slot = nil
      pairs.each_slice(2).with_object([]) do |(gap, count), counts|
        damaged("two of its buckets are one") if slot && gap.zero?
        damaged("a bucket lies outside of the range") if slot.to_i + gap >= Histogram::Buckets::SLOTS
        counts.concat(Array.new(gap - 1, 0)) if slot
        slot = slot.to_i + gap
        counts << count
      end
    end

    def damaged(reason)
      raise(DamagedData.new("a histogram can't be read", reason))
    end
    private_class_method :written, :write, :read, :histogram, :numbers, :shift_histogram, :sparse?, :pairs,
      :dense, :sparse, :spread, :damaged
  end
end
