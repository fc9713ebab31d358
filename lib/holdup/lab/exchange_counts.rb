# frozen_string_literal: true

module Holdup
  module Lab
    # Counts what became of each request while a load runs.
    class ExchangeCounts
      def initialize
        @entries = Hash.new { |entries, label| entries[label] = [] }
      end

      # @param route [Route]
      # @param status [Integer, nil]
      # @param latency_ns [Integer]
      # @return [void]
      def add(route, status, latency_ns)
        @entries[route.label] << [status, latency_ns, route.expected.include?(status)]
      end

      # @return [Integer]
      def count
        @entries.sum { |_, entries| entries.size }
      end

      # @return [Hash<String, ExchangeOutcome>] by label, frozen
      def outcomes
        @entries.to_h { |label, entries| [label, outcome(label, entries)] }.freeze
      end

      # @return [ExchangeOutcome, nil] of all routes together; nil when there was nothing
      def total
        outcome("all", @entries.values.flatten(1)) unless count.zero?
      end

      private

      def outcome(label, entries)
        latencies = entries.map { |_, latency, _| latency }.sort
        ExchangeOutcome.new(
          label:, count: entries.size, errors: entries.count { |status, *| status.nil? || status >= 500 },
          lost: entries.count { |status, *| status.nil? }, unexpected: entries.count { |*, expected| !expected },
          **Percentile::KEPT.invert.transform_values { |q| Percentile.of(latencies, q) }
        )
      end
    end
  end
end
