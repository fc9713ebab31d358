# frozen_string_literal: true

module Holdup
  module Lab
    # One kind of request in a mix: how often it comes, and which answers are all right.
    #
    #   Route.new(label: "OrdersController#index", verb: "GET", path: ->(random) { "/orders?page=#{random.rand(20)}" }, weight: 10)
    Route = Data.define(:label, :verb, :path, :weight, :expected) do
      # @param path [String, #call] the path, or what makes one from a Random
      # @param weight [Numeric] its share of the traffic, relative to the other routes'
      # @param expected [#include?] status codes that are no surprise
      def initialize(label:, path:, verb: "GET", weight: 1, expected: 200..399)
        super
      end

      # @param random [Random]
      # @return [String]
      def path_for(random)
        path.respond_to?(:call) ? path.call(random) : path
      end
    end
  end
end
