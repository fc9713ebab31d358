# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # What one run gave, in plain figures that a file can keep. `means`: of a job, see MEANS, in ns but for
      # acquisitions; `setting`: the facts that Sidekiq told; `expected`: Array of Expected, of the baseline's
      # first run alone; `throughput`: jobs per second
      JobsMeasurement = Data.define(:round, :threads, :again, :setting, :count, :errors, :throughput, :means,
        :p95_ns, :gvl_share, :lock_share, :expected) do
        # @param outcome [JobOutcome]
        # @param step [Step]
        # @param concurrency [Array<Integer>] that are to be predicted from it; none where it is not the
        #   recording
        # @return [JobsMeasurement]
        def self.of(outcome, step, concurrency: [])
          forecast = Forecast.new(outcome)
          new(round: step.round, threads: step.threads, again: step.again, setting: outcome.recording.setting.attributes, p95_ns: outcome.walls.quantile(0.95),
            **%i[count errors throughput gvl_share lock_share].to_h { |name| [name, outcome.public_send(name)] },
            means: self::MEANS.to_h { |key| [key, outcome.mean(key)] }, expected: concurrency.map { |threads| PredictedThroughput.of(forecast, threads) })
        end

        # @param hash [Hash{Symbol => Object}] from to_h
        # @return [JobsMeasurement]
        def self.from(hash)
          new(**hash, setting: hash.fetch(:setting).transform_keys(&:to_s),
            expected: hash.fetch(:expected).map { |one| PredictedThroughput.new(**one) })
        end

        # @param key [Symbol] see MEANS
        # @return [Float]
        def mean(key) = means.fetch(key)

        # @param threads [Integer]
        # @return [PredictedThroughput]
        def expect(threads)
          expected.find { |one| one.threads == threads }
        end

        # @return [Hash] for a file
        def to_h
          super.merge(expected: expected.map(&:to_h))
        end
      end

      JobsMeasurement::MEANS = %i[wall running stalled idle cpu_ns lock_ns acquisitions].freeze
    end
  end
end
