# frozen_string_literal: true

require_relative "percentile"

module Holdup
  module Lab
    # What became of a route's requests. Latencies are nanoseconds from the moment a request was due to the end of its
    # answer. `errors`: status 500 and up, or no whole answer (`lost`); `unexpected`: not among the route's expected.
    Outcome = Data.define(:label, :count, :errors, :lost, :unexpected, :p50_ns, :p95_ns, :p99_ns) do
      # Requests that the server answered, and so must have counted.
      def answered = count - lost
    end

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
      def count = @entries.sum { |_, entries| entries.size }

      # @return [Hash<String, Outcome>] by label, frozen
      def outcomes = @entries.to_h { |label, entries| [label, outcome(label, entries)] }.freeze

      # @return [Outcome, nil] of all routes together; nil when there was nothing
      def total = (outcome("all", @entries.values.flatten(1)) unless count.zero?)

      private

      def outcome(label, entries)
        latencies = entries.map { |_, latency, _| latency }.sort
        Outcome.new(
          label:, count: entries.size, errors: entries.count { |status, *| status.nil? || status >= 500 },
          lost: entries.count { |status, *| status.nil? }, unexpected: entries.count { |*, expected| !expected },
          **Percentile::KEPT.invert.transform_values { |q| Percentile.of(latencies, q) }
        )
      end
    end
  end
end
