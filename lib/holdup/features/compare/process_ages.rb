# frozen_string_literal: true

module Holdup
  module Compare
    # Units by the age of their process: what is compiled, cached and fragmented depends on the age, and so
    # on how often the application is deployed.
    module ProcessAges
      # `from_s`, `to_s`: nil for no end
      AgeBand = Data.define(:from_s, :to_s) do
        def cover?(age_s)
          age_s >= from_s && (to_s.nil? || age_s < to_s)
        end
      end

      # `units`: number of samples of each side; `walls`: WeightedHistogram of their elapsed times
      AgeRow = Data.define(:band, :units, :walls)

      ENDS_S = [0, 120, 600, 3600, 6 * 3600, 24 * 3600, nil].freeze
      BANDS = ENDS_S.each_cons(2).map { |from_s, to_s| AgeBand.new(from_s:, to_s:) }.freeze
      # Percentiles of fewer are single units.
      FEWEST = 100

      module_function

      def band(age_s)
        BANDS.find { |band| band.cover?(age_s) } || BANDS.first
      end

      # Youngest first, those with enough units on every side.
      def rows(sides)
        banded = sides.map { |unit_samples| unit_samples.group_by { |unit| band(unit.age_ns / NS) } }
        shared = BANDS.select { |band| banded.all? { |side| side.fetch(band, []).size >= FEWEST } }
        shared.map do |band|
          unit_samples = banded.map { |side| side.fetch(band) }
          AgeRow.new(band:, units: unit_samples.map(&:size), walls: unit_samples.map { |side| wall(side) })
        end
      end

      def wall(unit_samples)
        weighted = unit_samples.map { |unit_sample| [unit_sample.wall_ns, unit_sample.weight] }
        WeightedRows::WeightedHistogram.weighted(weighted)
      end
      private_class_method :wall

      # Memory of processes, compared at the highest age that processes of both sides have reached, because
      # memory grows for hours. The interval is over processes: they vary, while samples of one process
      # hardly do.
      class MemoryByAge
        KEYS = {pss: :pss_bytes, uss: :uss_bytes}.freeze

        def initialize(before, after)
          @sides = [before, after].map do |samples|
            samples.select { |sample| sample[:since_s] && !sample[:ended] }
          end
        end

        def estimate(metric)
          sides = means(KEYS.fetch(metric.name))
          return Estimate.new(metric:, before: nil, after: nil) if sides.any?(&:empty?)
          before, after = sides.map { |means| means.sum / means.size }
          deviation, freedom = deviation(sides) if sides.all? { |means| means.size > 1 }
          Estimate.new(metric:, before:, after:, deviation:, freedom:)
        end

        # The age at which they are compared; nil: they never had the same.
        def band
          reached = @sides.map { |samples| samples.map { |sample| ProcessAges.band(age_s(sample)) }.uniq }
          reached.reduce(:&).max_by(&:from_s)
        end

        def processes
          @sides.map { |samples| by_process(samples).size }
        end

        private

        def age_s(sample)
          [sample[:at_s] - sample[:since_s], 0].max
        end

        def by_process(samples)
          age = band or return {}
          of_age = samples.select { |sample| ProcessAges.band(age_s(sample)) == age }
          Analysis::ProcessReport::SampleTrail.by_process(of_age)
        end

        def means(key)
          @sides.map do |samples|
            by_process(samples).values.filter_map do |same|
              values = same.filter_map { |sample| sample[key] }
              values.sum.fdiv(values.size) if values.any?
            end
          end
        end

        # Deviation of the logarithm of their ratio.
        def deviation(sides)
          before, after = sides.map { |means| relative_variance(means) / means.size }
          constant = (before + after).zero?
          freedom = constant ? 1 : Estimate::StudentDistribution.freedom([before, after], sides.map(&:size))
          [Math.sqrt(before + after), freedom]
        end

        def relative_variance(means)
          mean = means.sum / means.size
          means.sum { |value| (value / mean - 1)**2 } / (means.size - 1)
        end
      end
    end
  end
end
