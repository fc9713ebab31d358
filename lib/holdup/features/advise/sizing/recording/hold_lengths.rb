# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      class Recording
      end

      # How unlike the times are for which units hold the GVL. A call to a database releases it twice, when
      # it sends and when it waits, and holds it for a moment in between; a page is rendered in one piece.
      # Recorded of a unit is how often it took the GVL, how long it held it, and the longest time; of a
      # series also the sum of squares of these times. If all but the longest were drawn at random, as a stick
      # is broken, n of them would have, for the rest R of the time,
      #
      #   mean of the sum of squares = 2 R^2 / (n + 1)
      #
      # A larger sum means fewer n: the others were moments. Without that, replays let others go first too
      # often, in the middle of their work: the median of a page with two calls and eleven acquisitions came
      # out a fifth too long.
      class Recording::HoldLengths
        # Units of which a sum of squares is known well enough.
        FEWEST = 30
        NS_IN_US = 1_000

        # @param windows [Array<Window>] of all units
        def initialize(windows)
          @windows = windows.group_by(&:series)
        end

        # @param unit_samples [Array<UnitSample>]
        # @return [Array<UnitSample>] with their moments
        def of(unit_samples)
          shares = unit_samples.group_by(&:series).to_h { |series, same| [series, share(series, same)] }
          unit_samples.map do |unit|
            share = shares.fetch(unit.series)
            (share < 1) ? unit.with(moments: (unit.acquisitions * (1 - share)).round) : unit
          end
        end

        private

        # @return [Float] share of the acquisitions that are none for a moment
        def share(series, units)
          counted = @windows.fetch(series, []).sum(&:count)
          return 1.0 if units.size < FEWEST || counted.zero?
          squares = @windows.fetch(series).sum { |window| window.sums.fetch(:hold_squares_us2) }.fdiv(counted)
          rest = squares - mean(units) { |unit| longest_us(unit)**2 }
          return 1.0 unless rest.positive?
          others = 2 * mean(units) { |unit| (held_us(unit) - longest_us(unit))**2 } / rest - 1
          (others / [mean(units, &:acquisitions), 1.0].max).clamp(0.0, 1.0)
        end

        def held_us(unit) = unit.running_ns.fdiv(NS_IN_US)

        def longest_us(unit) = [unit.longest_hold_ns, unit.running_ns].min.fdiv(NS_IN_US)

        def mean(units) = WeightedSample.mean(units.map { |unit| [yield(unit), unit.weight] })
      end
    end
  end
end
