# frozen_string_literal: true

module Holdup
  module Advise
    # What the dashboard's advice is to keep, and what it may cost.
    module DashboardGoal
      # @param settings [Configuration]
      # @return [Hash{Symbol => Object}] `slo`: Sizing::Slo of requests, `prices`: FleetPrices; nil: none
      def self.of(settings)
        slo = settings.scaling_goal&.slo
        prices = settings.prices
        {slo: slo && Sizing::Slo.parse(slo),
         prices: prices && Sizing::CheapestFleet::FleetPrices.of(prices)}
      end
    end
  end
end
