# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # Memory of a process, compared where processes of both sides were as old as each other: the oldest such
      # age, because memory grows for hours. Processes vary, and samples of one process hardly: the interval
      # is over processes.
      class MemoryByAge
        KEYS = {pss: :pss_bytes, uss: :uss_bytes}.freeze

        # @param before [Array<Hash{Symbol => Object}>] samples of processes
        # @param after [Array<Hash{Symbol => Object}>]
        def initialize(before, after)
          @sides = [before, after].map { |samples|
            samples.select { |sample| sample[:since_s] && !sample[:ended] }
          }
        end

        # @param metric [Metric] :pss or :uss
        # @return [Estimate]
        def estimate(metric)
          values = values(KEYS.fetch(metric.name))
          return Estimate.new(metric:, before: nil, after: nil) if values.any?(&:empty?)
          before, after = values.map { |of_processes| of_processes.sum / of_processes.size }
          deviation, freedom = deviation(values) if values.all? { |of_processes| of_processes.size > 1 }
          Estimate.new(metric:, before:, after:, deviation:, freedom:)
        end

        # @return [ProcessAges::AgeBand, nil] the age at which they are compared; nil: they never had the same
        def band
          found = @sides.map { |samples| samples.map { |sample| ProcessAges.band(age_s(sample)) }.uniq }
          found.reduce(:&).max_by(&:from_s)
        end

        # @return [Array<Integer>] processes of each side of that age
        def processes
          @sides.map { |samples| of_age(samples).keys.size }
        end

        private

        def age_s(sample)
          [sample[:at_s] - sample[:since_s], 0].max
        end

        def of_age(samples)
          at = band or return {}
          ProcessReport::SampleTrail.apart(samples.select { |sample| ProcessAges.band(age_s(sample)) == at })
        end

        def values(key)
          @sides.map do |samples|
            of_age(samples).values.map { |own| own.filter_map { |sample| sample[key] } }.reject(&:empty?).map { |known|
              known.sum.fdiv(known.size)
            }
          end
        end

        # Of the logarithm of their ratio.
        def deviation(values)
          before, after = values.map { |known| relative_variance(known) / known.size }
          freedom = (before + after).zero? ? 1 : StudentDistribution.freedom([before, after],
            values.map(&:size))
          [Math.sqrt(before + after), freedom]
        end

        def relative_variance(known)
          mean = known.sum / known.size
          known.sum { |value| (value / mean - 1)**2 } / (known.size - 1)
        end
      end
    end
  end
end
