# frozen_string_literal: true

require_relative "histogram/buckets"

module Holdup
  # Adds many histograms (or values) in one mutable array: a report merges tens of thousands of histograms,
  # and would spend most of its time on making a frozen one for each step.
  class HistogramSum
    def initialize
      @count = @sum = @zero = 0
      @min = @max = nil
      @only = nil  # the one histogram that was added so far
      @slots = nil # counts of all buckets, once there is more than one histogram
      @first = Histogram::Buckets::SLOTS
      @last = -1
      @dumps = nil
      @heads = false # whether a part was a CountAndSum, so that the sum is one too
    end

    # Most sums in a report have one part, which is the result: the first part is only stored.
    # @param histogram [Histogram, Histogram::CountAndSum]
    def add(histogram)
      @heads ||= histogram.is_a?(Histogram::CountAndSum)
      return self if histogram.empty?
      if untouched?
        @only = histogram
        return self
      end
      allocate_slots
      add_histogram(histogram)
      self
    end

    # @param dumps [String] of any number of histograms (see Histogram::Codec), read when the sum is needed:
    #   all at once, which is far cheaper
    def add_dumps(dumps)
      (@dumps ||= "".b) << dumps
      self
    end

    # Removes time (ns) that is counted elsewhere too; the values stay.
    def subtract_sum(sum)
      allocate_slots if @only
      @sum -= sum
      self
    end

    # @param value [Integer] nanoseconds; negative ones count as 0
    def record(value)
      allocate_slots
      value = 0 if value.negative?
      @count += 1
      @sum += value
      widen(value, value)
      count_one(value)
      self
    end

    # @return [Histogram, Histogram::CountAndSum]
    # @raise [DamagedData] when dumps are damaged
    def to_histogram
      read_dumps if @dumps
      return @only if @only
      return Histogram::CountAndSum.new(count: @count, sum: @sum) if @heads
      kept = (@last < 0) ? [] : @slots[@first..@last]
      Histogram.new(count: @count, sum: @sum, min: @min, max: @max, zero: @zero,
        offset: kept.empty? ? 0 : @first, counts: kept.freeze)
    end

    private

    def untouched?
      @only.nil? && @slots.nil? && @count.zero? && @sum.zero?
    end

    def allocate_slots
      return if @slots
      @slots = Array.new(Histogram::Buckets::SLOTS, 0)
      only = @only
      @only = nil
      add_histogram(only) if only
    end

    def add_histogram(histogram)
      @count += histogram.count
      @sum += histogram.sum
      return if @heads
      widen(histogram.min, histogram.max) if histogram.min
      @zero += histogram.zero
      add_counts(histogram.offset, histogram.counts) unless histogram.counts.empty?
    end

    def widen(min, max)
      @min = min if @min.nil? || min < @min
      @max = max if @max.nil? || max > @max
    end

    def count_one(value)
      return @zero += 1 if value <= Histogram::Buckets::FLOOR_NS
      slot = Histogram::Buckets.slot(value)
      @first = slot if slot < @first
      @last = slot if slot > @last
      @slots[slot] += 1
    end

    def add_counts(slot, counts)
      @first = slot if slot < @first
      @last = [@last, slot + counts.size - 1].max
      defined?(HistogramDumps) ? HistogramDumps.add(@slots, slot, counts) : add_counts_in_ruby(slot, counts)
    end

    # The hottest loop of a report without the extension: an index is a third faster than each_with_index.
    def add_counts_in_ruby(slot, counts)
      slots = @slots
      counts.each do |count|
        slots[slot] += count
        slot += 1
      end
    end

    def read_dumps
      dumps = @dumps
      @dumps = nil
      add(Histogram::Codec.load_sum(dumps))
    end
  end
end
