# frozen_string_literal: true

module Holdup
  module Lab
    class Sweep
    end

    # One setting at one rate: the medians of all rounds, measured and predicted.
    Sweep::SweepResult = Data.define(:arm, :readings, :predictions) do
      # @return [Float] answers per second
      def throughput = median(readings, &:throughput)

      # @return [Float] ns
      def wait_ns = median(readings, &:wait_ns)

      # @return [Float] ns, mean, with queueing
      def response_ns = median(readings, &:response_ns)

      # @param share [Float]
      # @return [Float] ns, with queueing
      def percentile(share)
        median(readings) { |reading| reading.percentile(share) }
      end

      # @param seconds [Numeric] of each reading
      # @return [Boolean] whether the server kept up with the rate in most rounds
      def kept_up?(seconds)
        readings.count { |reading| reading.kept_up?(seconds) } * 2 > readings.size
      end

      # @return [Float, nil] ns as the client saw it
      def client_p95_ns = median(readings, &:client_p95_ns)

      # @return [Float, nil] ns of CPU for a request
      def cpu_ns = median(readings, &:cpu_ns)

      # @return [Float, nil]
      def memory_bytes = median(readings, &:memory_bytes)

      # @return [Boolean] whether the recording said anything of it
      def predicted? = predictions.any?

      # @return [Float, nil] answers per second
      def predicted_throughput = median(predictions, &:throughput)

      # @return [Float, nil] ns
      def predicted_wait_ns = median(predictions, &:wait_ns)

      # @return [Float, nil] ns
      def predicted_percentile(share)
        median(predictions) { |one| one.percentile(share) }
      end

      # Signed shares; waiting is judged against the response, because 1 ms instead of 2 of 300 is no error.
      # @return [Hash{Symbol => Float}] throughput, wait and the percentile; empty without a prediction
      def errors(share)
        return {} unless predicted?
        {throughput: predicted_throughput / throughput - 1,
         wait: (predicted_wait_ns - wait_ns) / response_ns, percentile: predicted_percentile(share) / percentile(share) - 1}
      end

      # @return [Hash] for programs
      def to_h
        {arm: arm.to_h, rounds: readings.size, throughput:, wait_ns:, response_ns:, p95_ns: percentile(0.95), client_p95_ns:, cpu_ns:, memory_bytes:,
         predicted: predicted? ? {throughput: predicted_throughput, wait_ns: predicted_wait_ns, p95_ns: predicted_percentile(0.95)} : nil,
         errors: errors(0.95).transform_values { |error| error.round(4) }}
      end

      private

      def median(some)
        values = some.filter_map { |one| yield one }
        Spread.of(values).median.to_f if values.any?
      end
    end
  end
end
