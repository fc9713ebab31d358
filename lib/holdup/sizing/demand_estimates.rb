# frozen_string_literal: true

module Holdup
  module Sizing
    # What one unit asks for, going by some of the recorded units, or by units that were changed: formulas'
    # figures move as the means of the units do. For an interval the growth is drawn as well, for it is not
    # known better than the recording tells.
    class DemandEstimates
      # An interval's end lies so many standard deviations from its middle (90 %).
      NORMAL = 1.645
      # Nobody has seen more: 16 % were measured in a large application.
      MOST = 0.3

      # @param recording [#demand, #growth_estimate]
      # @param traffic [Traffic] all of the recording
      def initialize(recording, traffic)
        @demand = recording.demand
        @growth = recording.growth_estimate
        @means = means(traffic)
      end

      # @param part [Traffic]
      # @param seed [Integer, nil] of a draw of the growth; nil: the best guess
      # @return [Demand]
      def call(part, seed: nil)
        held, idle, acquisitions = means(part).zip(@means).map { |there, all| there / [all, 1].max }
        @demand.with(held_ns: @demand.held_ns * held, cpu_ns: @demand.cpu_ns * held, idle_ns: @demand.idle_ns * idle, acquisitions: @demand.acquisitions * acquisitions,
          cost: seed ? drawn(Random.new(seed)) : @demand.cost)
      end

      private

      def means(traffic)
        %i[running_ns idle_ns acquisitions].map { |field| traffic.mean_of(field) }
      end

      # Where nobody can say anything of it, a draw would be from all growths there are.
      def drawn(random)
        return @demand.cost unless @growth&.value
        company = company(random)
        @growth.grows? ? @demand.cost.in_company(company / @growth.value) : @demand.cost.with(growth: company)
      end

      def company(random)
        deviation = normal(random) / NORMAL
        width = deviation.positive? ? @growth.high - @growth.value : @growth.value - @growth.low
        (@growth.value + deviation * width).clamp(0.0, most)
      end

      # A recording that says more is believed.
      def most
        (@growth.value > MOST) ? @growth.high : MOST
      end

      def normal(random)
        Math.sqrt(-2 * Math.log(1 - random.rand)) * Math.cos(2 * Math::PI * random.rand)
      end
    end
  end
end
