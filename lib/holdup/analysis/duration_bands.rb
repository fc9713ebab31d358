# frozen_string_literal: true

module Holdup
  module Analysis
    # How values of some histograms are spread, in the same bands for all of them: what heat maps and curves
    # beside each other are drawn from. A band is a fifth wide.
    class DurationBands
      # A sixteenth of a doubling is finer than anybody can see.
      SLOTS_A_BAND = 4

      # @param histograms [Array<Histogram, nil>]
      def initialize(histograms)
        @bands = histograms.map { |histogram| histogram ? bands(histogram) : {} }
      end

      # @return [Array<Integer>] the upper end of each band, ns, ascending; they follow each other without a
      #   gap
      def upto_ns
        range.map { |band| Histogram::Buckets::BOUNDS[(band + 1) * SLOTS_A_BAND] }
      end

      # @return [Array<Array<Integer>>] for each histogram, how many values are in each band
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

      # What is below the first bucket is in the band before it.
      def bands(histogram)
        found = histogram.zero.positive? ? {-1 => histogram.zero} : {}
        slot = histogram.offset
        histogram.counts.each do |count|
          band = slot / SLOTS_A_BAND
          found[band] = found.fetch(band, 0) + count
          slot += 1
        end
        found
      end
    end
  end
end
