# frozen_string_literal: true

require_relative "buckets"

module Holdup
  # The difference of two snapshots of one cumulative histogram. Everything is exact but min and max: those of
  # the difference were never kept, so they are taken from the outermost occupied buckets (at most 4.4 % off),
  # or exactly where the later snapshot set a new extreme.
  class Histogram::Difference
    # @param later [Histogram]
    # @param earlier [Histogram]
    def initialize(later, earlier)
      @later = later
      @earlier = earlier
    end

    # @return [Histogram]
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
      @counts ||= Array.new(Histogram::Buckets::SLOTS, 0).tap do |slots|
        @later.counts.each_with_index { |count, i| slots[@later.offset + i] += count }
        @earlier.counts.each_with_index { |count, i| slots[@earlier.offset + i] -= count }
      end
    end

    def min
      return @later.min if @later.min.nil? || new_extreme?(:min) || numbers.last.positive?
      slot = counts.index(&:positive?)
      slot ? [Histogram::Buckets.first(slot), @later.min].max : @later.min
    end

    def max
      return @later.max if @later.max.nil? || new_extreme?(:max)
      slot = counts.rindex(&:positive?)
      [slot ? Histogram::Buckets.last(slot) : Histogram::Buckets::FLOOR_NS, @later.max].min
    end

    def new_extreme?(name)
      @later.public_send(name) != @earlier.public_send(name)
    end
  end
end
