# frozen_string_literal: true

require_relative "buckets"

module Holdup
  # Adds many histograms (or values) up in one mutable array. A report merges tens of thousands of histograms; making a
  # frozen one for each step would be most of its time.
  class Histogram::Accumulator
    def initialize
      @count = @sum = @zero = 0
      @min = @max = nil
      @slots = Array.new(Histogram::Buckets::SLOTS, 0)
    end

    # @param histogram [Histogram]
    # @return [self]
    def add(histogram)
      @count += histogram.count
      @sum += histogram.sum
      widen(histogram.min, histogram.max) if histogram.min
      @zero += histogram.zero
      add_counts(histogram.offset, histogram.counts)
      self
    end

    # @param value [Integer] nanoseconds; negative ones count as 0
    # @return [self]
    def record(value)
      value = 0 if value.negative?
      @count += 1
      @sum += value
      widen(value, value)
      count_one(value)
      self
    end

    # @return [Histogram]
    def to_histogram
      Histogram.new(count: @count, sum: @sum, min: @min, max: @max, zero: @zero, offset: 0, counts: @slots)
    end

    private

    def widen(min, max)
      @min = min if @min.nil? || min < @min
      @max = max if @max.nil? || max > @max
    end

    def count_one(value)
      if value <= Histogram::Buckets::FLOOR_NS
        @zero += 1
      else
        @slots[Histogram::Buckets.slot(value)] += 1
      end
    end

    # The hottest loop of a report: an explicit index is a third faster than each_with_index here.
    def add_counts(slot, counts)
      slots = @slots
      counts.each do |count|
        slots[slot] += count
        slot += 1
      end
    end
  end
end
