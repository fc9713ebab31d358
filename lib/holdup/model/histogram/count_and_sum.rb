# frozen_string_literal: true

require_relative "buckets"

module Holdup
  # How many values a histogram has, and their sum (ns), where nobody asks how they are spread: to read it is
  # nearly free.
  Histogram::CountAndSum = Data.define(:count, :sum) do
    # @param histogram [Histogram, Head]
    # @return [Head]
    def self.of(histogram)
      new(count: histogram.count, sum: histogram.sum)
    end

    # @param heads [Enumerable<Histogram, Head>]
    # @return [Head]
    def self.sum(heads)
      new(count: heads.sum(&:count), sum: heads.sum(&:sum))
    end

    # @return [Float, nil] nanoseconds
    def mean
      count.zero? ? nil : sum.fdiv(count)
    end
  end
end
