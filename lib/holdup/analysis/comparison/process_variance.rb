# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # How much one process differs from the next for as long as it lives: where things lie in its memory,
      # what was compiled first. Blocks of time do not show it, because each has all processes. It is how much
      # the means of processes differ beyond chance; the fewer processes a side has, the less certain it is.
      # Source: variance components of a one-way layout with unequal sizes (Searle, Casella & McCulloch,
      # Variance Components, 3.6).
      class ProcessVariance
        # A side with fewer takes the variance of the other side.
        FEWEST_PROCESSES = 3
        FEWEST_UNITS = 30
        # Metric family => attribute of a unit.
        MEASURES = {wall: :wall_ns, cpu: :cpu_ns}.freeze

        def initialize(before, after)
          @sides = [before, after].map do |profiles|
            by_process = profiles.group_by { |profile| [profile.host, profile.process] }
            by_process.values.reject { |same| same.size < FEWEST_UNITS }
          end
          @variances = {}
        end

        # Variance of the logarithm of the ratio; 0.0 where it is unknown or none.
        def variance(family)
          measure = MEASURES[family] or return 0.0
          @variances[family] ||= sum(@sides.map { |processes| component(processes, measure) })
        end

        private

        def sum(components)
          known = components.compact
          return 0.0 if known.empty? || @sides.any?(&:empty?)
          components.zip(@sides).sum { |component, processes| (component || known.first) / processes.size }
        end

        # Variance between processes relative to their mean; nil for too few processes.
        def component(processes, measure)
          return if processes.size < FEWEST_PROCESSES
          groups = processes.map { |same| same.map { |profile| profile.public_send(measure).to_f } }
          units = groups.sum(&:size)
          mean = groups.sum(&:sum) / units
          return 0.0 if mean.zero?
          within = groups.sum { |values| squares(values, values.sum / values.size) } / (units - groups.size)
          spread = groups.sum { |values| values.size * (values.sum / values.size - mean)**2 }
          between = spread / (groups.size - 1)
          size = (units - groups.sum { |values| values.size**2 }.fdiv(units)) / (groups.size - 1)
          [(between - within) / size / mean**2, 0.0].max
        end

        def squares(values, mean)
          values.sum { |value| (value - mean)**2 }
        end
      end
    end
  end
end
