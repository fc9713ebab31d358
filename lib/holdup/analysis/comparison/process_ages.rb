# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # Units by how old their process was: what is compiled, cached and fragmented differs with age, and with
      # how often is deployed.
      module ProcessAges
        # `from_s`, `to_s`: nil for no end
        AgeBand = Data.define(:from_s, :to_s) do
          def cover?(age_s)
            age_s >= from_s && (to_s.nil? || age_s < to_s)
          end
        end

        BANDS = [0, 120, 600, 3600, 6 * 3600, 24 * 3600,
          nil].each_cons(2).map { |from_s, to_s| AgeBand.new(from_s:, to_s:) }.freeze
        # Percentiles of fewer are single units.
        FEWEST = 100
        NS = 1_000_000_000

        # `units`: singly known ones of each side; `walls`: their elapsed times
        AgeRow = Data.define(:band, :units, :walls)

        module_function

        # @param age_s [Numeric]
        # @return [AgeBand]
        def band(age_s)
          BANDS.find { |band| band.cover?(age_s) } || BANDS.first
        end

        # @param sides [Array<Array<UnitSample>>]
        # @return [Array<AgeRow>] youngest first, those that every side has enough units of
        def rows(sides)
          banded = sides.map { |profiles| profiles.group_by { |profile| band(profile.age_ns / NS) } }
          BANDS.select { |band| banded.all? { |known| known.fetch(band, []).size >= FEWEST } }.map do |band|
            found = banded.map { |known| known.fetch(band) }
            AgeRow.new(band:, units: found.map(&:size),
              walls: found.map { |profiles| WeightedHistogram.weighted(profiles.map { |one| [one.wall_ns, one.weight] }) })
          end
        end
      end
    end
  end
end
