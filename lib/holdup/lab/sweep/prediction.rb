# frozen_string_literal: true

module Holdup
  module Lab
    # What one recording lets expect of another setting in the very same experiment: as many requests at the
    # same rate. Times in ns, means but for percentiles.
    Sweep::Prediction = Data.define(:arm, :round, :rate, :throughput, :queued_ns, :stalled_ns, :response_ns,
      :p50_ns, :p95_ns, :p99_ns) do
      # @param hash [Hash{Symbol => Object}] from to_h
      # @return [Prediction]
      def self.from(hash)
        new(**hash, arm: Arm.from(hash.fetch(:arm)))
      end

      # @return [Integer] ns that a user feels of waiting
      def wait_ns = queued_ns + stalled_ns

      # @see Reading#percentile
      def percentile(share)
        public_send(Percentile.kept(share))
      end

      # @return [Hash] for a file
      def to_h = super.merge(arm: arm.to_h)
    end
  end
end
