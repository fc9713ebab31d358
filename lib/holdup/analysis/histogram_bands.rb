# frozen_string_literal: true

module Holdup
  module Analysis
    module HistogramBands
      # Means of the values between two quantiles ("p90-99"): how the slow tenth differs from the typical one.
      # A value counts as the geometric middle of its histogram bucket (at most 2.2 % off). Each histogram is
      # sliced by its own values: the "p90-99" of stalled is of units that stalled most.
      module QuantileBands
        BANDS = {
          "p0-10" => [0.0, 0.1],
          "p50-60" => [0.5, 0.6],
          "p90-99" => [0.9, 0.99],
          "p99-99.9" => [0.99, 0.999],
          "p99.9-100" => [0.999, 1.0]
        }.freeze

        module_function

        # Returns nil when no value lies between the two.
        def mean(histogram, from, to)
          first = (from * histogram.count).floor
          last = (to * histogram.count).floor
          return if last <= first
          between(steps(histogram), first, last).fdiv(last - first)
        end

        def size(histogram, from, to)
          (to * histogram.count).floor - (from * histogram.count).floor
        end

        # Sum of the values with ranks first...last.
        def between(steps, first, last)
          below = 0
          steps.sum do |middle, count|
            taken = [below + count, last].min - [below, first].max
            below += count
            taken.positive? ? taken * middle : 0
          end
        end

        # Value and count of each occupied bucket, ascending.
        def steps(histogram)
          lower = [[middle(histogram, 0, Histogram::Buckets::FLOOR_NS), histogram.zero]]
          lower + histogram.counts.each_with_index.map do |count, i|
            slot = histogram.offset + i
            [middle(histogram, Histogram::Buckets.first(slot), Histogram::Buckets.last(slot)), count]
          end
        end

        def middle(histogram, low, high)
          Math.sqrt(low.clamp(histogram.min, histogram.max) * high.clamp(histogram.min, histogram.max))
        end
        private_class_method :between, :steps, :middle
      end

      # How many values of each histogram are in each band, with the same bands for all: for heat maps and
      # curves of a distribution.
      class DurationBands
        # A slot is a sixteenth of a doubling, which is too fine for a chart: a band of a curve is a fifth
        # wide, and a heat map, whose cells have less room, has two bands for each doubling.
        CURVE = 4
        HEAT = 8

        # @param slots [Integer] of a band
        def initialize(histograms, slots: CURVE)
          @slots = slots
          @bands = histograms.map { |histogram| histogram ? bands(histogram) : {} }
        end

        def upto_ns
          range.map { |band| Histogram::Buckets::BOUNDS[(band + 1) * @slots] }
        end

        def counts
          @bands.map { |counts| range.map { |band| counts.fetch(band, 0) } }
        end

        private

        def range
          @range ||= begin
            first, last = @bands.flat_map(&:keys).minmax
            first ? (first..last).to_a : []
          end
        end

        # Values below the first bucket are in band -1.
        def bands(histogram)
          found = histogram.zero.positive? ? {-1 => histogram.zero} : {}
          slot = histogram.offset
          histogram.counts.each do |count|
            band = slot / @slots
            found[band] = found.fetch(band, 0) + count
            slot += 1
          end
          found
        end
      end
    end
  end
end
