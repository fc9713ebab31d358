# frozen_string_literal: true

module Holdup
  module Queries
    # Reads what Holdup itself took in a span.
    module OwnCostQuery
      # @param store [Store::Sql]
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @return [Analysis::OwnCost]
      def self.call(store, from_s:, to_s:)
        windows = store.sums(from_s, to_s, kinds: [:account]).map(&:window)
        Analysis::OwnCost.new(windows,
          Analysis::ProcessReport.new(store.processes(from_s, to_s + 1), from_s:, to_s:))
      end
    end
  end
end
