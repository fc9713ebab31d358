# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # The results of one run as plain figures for a file.
      #
      # - `means`: of a job, see MEANS, in ns except acquisitions; `setting`: the facts that Sidekiq reported
      # - `expected`: Array of PredictedThroughput, only of the baseline's first run
      # - `throughput`: jobs per second
      JobsMeasurement = Data.define(:round, :threads, :again, :setting, :count, :errors, :throughput, :means,
        :p95_ns, :gvl_share, :lock_share, :expected) do
        # @param concurrency [Array<Integer>] that it predicts; empty unless the run is the recording
        def self.of(outcome, step, concurrency: [])
          forecast = JobOutcome::JobForecast.new(outcome)
          new(
            round: step.round,
            threads: step.threads,
            again: step.again,
            setting: outcome.recording.setting.attributes,
            count: outcome.count,
            errors: outcome.errors,
            throughput: outcome.throughput,
            means: self::MEANS.to_h { |key| [key, outcome.mean(key)] },
            p95_ns: outcome.walls.quantile(0.95),
            gvl_share: outcome.gvl_share,
            lock_share: outcome.lock_share,
            expected: concurrency.map { |threads| self::PredictedThroughput.of(forecast, threads) }
          )
        end

        # @param hash [Hash{Symbol => Object}] from to_h
        def self.from(hash)
          new(**hash, setting: hash.fetch(:setting).transform_keys(&:to_s),
            expected: hash.fetch(:expected).map { |expected| self::PredictedThroughput.new(**expected) })
        end

        # @param key [Symbol] see MEANS
        def mean(key) = means.fetch(key)

        def expect(threads)
          expected.find { |prediction| prediction.threads == threads }
        end

        def to_h
          super.merge(expected: expected.map(&:to_h))
        end
      end

      JobsMeasurement::MEANS = %i[wall running stalled idle cpu_ns lock_ns acquisitions].freeze

      # Jobs per second that the baseline's run predicts for a number of threads, by three methods.
      JobsMeasurement::PredictedThroughput = Data.define(:threads, :replay, :closed, :amdahl) do
        def self.of(forecast, threads)
          new(threads:, replay: forecast.replay(threads), closed: forecast.closed(threads),
            amdahl: forecast.amdahl(threads))
        end
      end
    end
  end
end
