# frozen_string_literal: true

module Holdup
  module Advise
    # The question that advice answers, by which its results are kept.
    module AdviceQuestion
      # @param span [Range<Integer>] seconds since 1970, which ends now
      # @param objective [Sizing::Objective]
      # @param prices [Sizing::CheapestFleet::FleetPrices, nil]
      # @param others [Hash{Symbol => Object}] what else is not as usual; nil is usual
      # @return [Queries::Question]
      def self.of(kind:, span:, objective:, prices: nil, factor: 1.0, warm_up_s: nil,
        within_s: Sizing::JobDeadlines::WITHIN_S, **others)
        arguments = {objective: objective.name, slo: objective.slo.to_h, prices: prices&.to_h, factor:,
                     warm_up_s:, within_s:, **others}
        Queries::Question.new(command: "advice #{kind}", seconds: span.end - span.begin, arguments:)
      end
    end
  end
end
