# frozen_string_literal: true

module Holdup
  module Advise
    # Advice for those who look once a week. That of thirty days is what the collectors keep in the store;
    # what the fleet could save is computed, where prices and an SLO are set.
    module WeeklyAdviceReader
      KEPT_S = 30 * DAY_S

      module_function

      # @param slo [Sizing::Slo, nil] of requests
      # @param prices [Sizing::CheapestFleet::FleetPrices, nil]
      # @return [Array<AdviceAnswer>] those that are known
      def call(store, from_s:, to_s:, slo:, prices:)
        span = from_s..to_s
        requests = (slo && prices) ? fleet(store, span, slo, prices) : kept(store, :request, to_s, prices)
        [requests, kept(store, :job, to_s, prices)].compact
      end

      def fleet(store, span, slo, prices)
        Page::Inputs.new(store, span:, kind: :request, change: nil, step: ->(_) {}, slo:, prices:).call.answer
      end

      def kept(store, kind, to_s, prices)
        question = AdviceQuestion.of(kind:, span: (to_s - KEPT_S)..to_s, prices:,
          objective: Page::Inputs.objective(kind, Sizing::Slo.new))
        Queries::KeptResults::InStore.new(store, json: AnswerJson).find(question, to_s)&.value
      end
      private_class_method :fleet, :kept
    end
  end
end
