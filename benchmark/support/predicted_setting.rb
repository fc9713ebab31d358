# frozen_string_literal: true

require_relative "replayed"
require_relative "spread"

module Bench
  # One setting: what was measured in each of its boots, and what the recording predicted.
  class PredictedSetting
    attr_reader :setting

    # @param processes [Integer]
    # @param threads [Integer]
    # @param outcomes [Array<Holdup::Lab::Trial::TrialResult>]
    # @param figures [Replayed::TrialFigures]
    def initialize(processes, threads, outcomes:, figures:)
      @setting = [processes, threads]
      @outcomes = outcomes
      @figures = figures
    end

    # @return [String]
    def name = setting.join(" x ")

    # @return [Hash{Symbol => Float}] shares, of the medians; waiting is judged against the response, since 1
    #   ms instead of 2 of 300 is no error
    def errors
      {throughput: off(:throughput), wait: (@figures.wait_ns - median(:wait_ns)) / median(:response_ns),
       response: off(:response_ns), p50: off(:p50_ns), p95: off(:p95_ns)}
    end

    # @return [Float] the largest error of those that the self-test of `holdup advise` looks at
    def worst
      errors.values_at(:wait, :response, :p95).map(&:abs).max
    end

    # @return [Array<Float>] ns that a request held the GVL, boot by boot
    def held_ns
      @outcomes.map { |outcome| outcome.total.histogram(:running).mean }
    end

    # @return [Array<String>] of Predict::COLUMNS
    def cells
      [name, measured(:throughput, 1), format("%.1f", @figures.throughput), *pair(:wait_ns), percent(:wait),
        *pair(:p50_ns), percent(:p50), *pair(:p95_ns), percent(:p95)]
    end

    private

    def measured(key, scale)
      Spread.of(seen.map { |figures| figures.public_send(key) / scale.to_f }).to_s(1)
    end

    def pair(key)
      [measured(key, 1_000_000), format("%.1f", @figures.public_send(key) / 1e6)]
    end

    def percent(key)
      format("%+.1f", errors.fetch(key) * 100)
    end

    def median(key) = Spread.of(seen.map(&key)).median

    def off(key)
      @figures.public_send(key) / median(key) - 1
    end

    def seen
      @seen ||= @outcomes.map do |outcome|
        responses = outcome.unit_samples.map { |unit| unit.wall_ns + unit.queued_ns.to_i }
        Replayed::TrialFigures.of(
          responses,
          outcome.unit_samples.map { |unit_sample| unit_sample.queued_ns.to_i + unit_sample.stalled_ns },
          throughput: outcome.throughput
        )
      end
    end
  end
end
