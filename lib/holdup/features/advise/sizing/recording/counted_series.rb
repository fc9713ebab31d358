# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      class Recording
      end

      # Chance may draw a rare series into a sample twice as often as it came, or its longer units; windows
      # counted all. Source: poststratification and the ratio estimator (Cochran, Sampling Techniques, 1977).
      class Recording::CountedSeries
        # Unit samples' times => what windows sum up.
        TIMES = {running_ns: :running, idle_ns: :idle}.freeze
        WITH_RUNNING = %i[running_ns cpu_ns gc_ns longest_hold_ns].freeze

        # @param windows [Array<Window>] of all units
        def initialize(windows)
          @windows = windows.group_by(&:series)
        end

        # @param sample [Array<UnitSample>]
        # @return [Array<UnitSample>] with the same weight in all, each series as often as in the windows and
        #   with its mean times; unchanged if all units were recorded
        def like(sample)
          return sample if weight(sample) <= ClosedLoad::SAMPLED * sample.size
          by_series = sample.group_by(&:series).select { |series, _| count(series).positive? }
          whole = weight(by_series.values.flatten) / by_series.keys.sum { |series| count(series) }
          changes = by_series.to_h do |series, same|
            [series, {weight: whole * count(series) / weight(same), **times(series, same)}]
          end
          sample.map { |unit| changes.key?(unit.series) ? changed(unit, **changes.fetch(unit.series)) : unit }
        end

        private

        def weight(units) = units.sum(0.0, &:weight)

        def count(series) = @windows.fetch(series, []).sum(&:count)

        # Factors of both times.
        def times(series, same)
          TIMES.transform_values do |name|
            drawn = same.sum { |unit| unit.public_send(TIMES.key(name)) * unit.weight } / weight(same)
            counted = @windows.fetch(series).sum { |window| window.histograms.fetch(name).sum }
            (drawn.positive? && counted.positive?) ? counted.fdiv(count(series)) / drawn : 1.0
          end
        end

        def changed(unit, weight:, running_ns:, idle_ns:)
          held = WITH_RUNNING.to_h { |name| [name, (unit.public_send(name) * running_ns).round] }
          unit.with(weight: unit.weight * weight, idle_ns: (unit.idle_ns * idle_ns).round, **held)
        end
      end
    end
  end
end
