# frozen_string_literal: true

require_relative "predict"

module Bench
  # The same with a request that computes for long while others wait: the hard case.
  class PredictUneven < Predict
    private

    def routes = ShopTrial::UNEVEN

    def title
      "The storefront with a report among its requests, predicted"
    end
  end
end
