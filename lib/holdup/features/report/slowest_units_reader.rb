# frozen_string_literal: true

module Holdup
  module Report
    # Reads singly stored units of a span.
    module SlowestUnitsReader
      # Reading all single units of a month takes too long: reads this many periods of ten minutes, evenly
      # spread, and if they are empty, the maximum of UnitSampleQuery.
      PERIODS = [6, Queries::RecordedInterval::UnitSampleQuery::BLOCKS].freeze

      # `unit_samples`: Array of UnitSample; `periods`: how many of `all` periods of ten minutes were read;
      # `kept`: Queries::SlowestUnitsQuery::KeptUnits
      ReadUnits = Data.define(:unit_samples, :periods, :all, :kept) do
        def part? = periods < all
      end

      # @param filter [Analysis::UnitFilter] which units
      # @param most [Integer] of those that are kept
      # @return [ReadUnits]
      def self.call(store, from_s:, to_s:, filter:, most: Queries::SlowestUnitsQuery::MOST)
        kept = Queries::SlowestUnitsQuery.call(store, from_s:, to_s:, filter:, most:)
        sampled_to_s = [to_s, *kept.from_s].min
        samples(store, from_s, sampled_to_s, filter, kept)
      end

      # Of the time of which the slowest are not kept.
      def self.samples(store, from_s, to_s, filter, kept)
        return ReadUnits.new(unit_samples: [], periods: 0, all: 0, kept:) unless from_s < to_s
        all = store.unit_sample_starts(from_s, to_s).size
        read = nil
        query = Queries::RecordedInterval::UnitSampleQuery
        PERIODS.each do |most|
          found = query.call(store, from_s, to_s, blocks: most)
          unit_samples = found.select { |unit| wanted?(unit, filter) }
          read = ReadUnits.new(unit_samples:, periods: query.periods(all, most), all:, kept:)
          break if unit_samples.any? || !read.part?
        end
        read
      end

      def self.wanted?(unit, filter)
        filter.series?(unit.series) && filter.setting?(unit.setting)
      end
      private_class_method :samples, :wanted?
    end
  end
end
