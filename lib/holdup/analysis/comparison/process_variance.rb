# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # What one process differs from the next in, for as long as it lives: what lies where in its memory,
      # what was compiled first. Stretches of time say nothing of it, because they have all processes. It is
      # what their means differ by beyond what units that were kept singly would make them differ by chance,
      # and both sides are as uncertain as they have processes.
      #
      # Source: variance components of a one-way layout with unequal sizes (Searle, Casella & McCulloch,
      # Variance Components, 3.6).
      class ProcessVariance
        # Of fewer a side, it is the others' or unknown.
        FEWEST_PROCESSES = 3
        FEWEST_UNITS = 30
        # Figures of units => what of a unit they are made of.
        MEASURES = {wall: :wall_ns, cpu: :cpu_ns}.freeze

        # @param before [Array<UnitSample>]
        # @param after [Array<UnitSample>]
        def initialize(before, after)
          @sides = [before, after].map { |profiles|
            profiles.group_by { |profile|
              [profile.host,
                profile.process]
            }.values.reject { |own| own.size < FEWEST_UNITS }
          }
        end

        # @param family [Symbol] of a metric
        # @return [Float] variance of the logarithm of the ratio; 0.0 where it is unknown or none
        def variance(family)
          measure = MEASURES[family] or return 0.0
          (@variances ||= {})[family] ||= sum(@sides.map { |processes|
            (processes.size < FEWEST_PROCESSES) ? nil : component(
              processes, measure
            )
          })
        end

        private

        # A side of few processes varies like the other.
        def sum(components)
          known = components.compact
          return 0.0 if known.empty? || @sides.any?(&:empty?)
          components.zip(@sides).sum { |component, processes| (component || known.first) / processes.size }
        end

        # Relative to their mean.
        def component(processes, measure)
          all = processes.map { |own| own.map { |profile| profile.public_send(measure).to_f } }
          units = all.sum(&:size)
          groups = all.size
          mean = all.sum(&:sum) / units
          within = all.sum { |values| squares(values, values.sum / values.size) } / (units - groups)
          between = all.sum { |values| values.size * (values.sum / values.size - mean)**2 } / (groups - 1)
          each = (units - all.sum { |values| values.size**2 }.fdiv(units)) / (groups - 1)
          mean.zero? ? 0.0 : [(between - within) / each / mean**2, 0.0].max
        end

        def squares(values, mean)
          values.sum { |value| (value - mean)**2 }
        end
      end
    end
  end
end
