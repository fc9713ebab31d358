# frozen_string_literal: true

module Holdup
  module Sizing
    # Times that single recorded units had, over all units that they stand for.
    class UnitTimes
      # @param units [Array<UnitSample>] at least one
      # @param queued [Boolean] whether their wait for a thread is known and counts
      def initialize(units, queued:)
        @units = units
        @queued = queued
      end

      # @return [Float, nil] mean ns
      def queued_ns
        mean { |unit| queue_ns(unit) } if @queued
      end

      def stalled_ns = mean(&:stalled_ns)

      def running_ns = mean(&:running_ns)

      def response_ns
        mean { |unit| queue_ns(unit) + unit.wall_ns }
      end

      # @param share [Float] 0.95: the 95th percentile
      # @return [Integer] ns
      def response(share)
        quantile(share) { |unit| queue_ns(unit) + unit.wall_ns }
      end

      # Likewise of queued + stalled.
      def wait(share)
        quantile(share) { |unit| queue_ns(unit) + unit.stalled_ns }
      end

      private

      def queue_ns(unit)
        @queued ? unit.queued_ns.to_i : 0
      end

      def mean(&) = WeightedSample.mean(weighted(&))

      def quantile(share, &)
        WeightedSample.quantile(weighted(&), share).to_i
      end

      def weighted
        @units.map { |unit| [yield(unit), unit.weight] }
      end
    end
  end
end
