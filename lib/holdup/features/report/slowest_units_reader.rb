# frozen_string_literal: true

module Holdup
  module Report
    # Reads singly stored units of a span.
    module SlowestUnitsReader
      # Reading all single units of a month takes too long: reads this many periods of ten minutes, evenly
      # spread, and if they are empty, the maximum of UnitSampleQuery.
      PERIODS = [6, Queries::RecordedInterval::UnitSampleQuery::BLOCKS].freeze

      # `unit_samples`: Array of UnitSample; `periods`: how many of `all` periods of ten minutes were read
      ReadUnits = Data.define(:unit_samples, :periods, :all) do
        def part? = periods < all
      end

      # @param filter [Analysis::UnitFilter] which units
      # @return [ReadUnits]
      def self.call(store, from_s:, to_s:, filter:)
        all = store.unit_sample_starts(from_s, to_s).size
        read = nil
        PERIODS.each do |most|
          found = Queries::RecordedInterval::UnitSampleQuery.call(store, from_s, to_s, blocks: most)
          unit_samples = found.select { |unit| wanted?(unit, filter) }
          read = ReadUnits.new(unit_samples:, periods: [most, all].min, all:)
          break if unit_samples.any? || !read.part?
        end
        read
      end

      def self.wanted?(unit, filter)
        filter.series?(unit.series) && filter.setting?(unit.setting)
      end
      private_class_method :wanted?
    end
  end
end
