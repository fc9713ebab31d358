# frozen_string_literal: true

require "holdup/loader"
require_relative "setting_comparison"

module Bench
  # What `holdup advise` reads of a recording.
  module RecordedAdvice
    OBJECTIVES = {request: :latency, job: :throughput}.freeze

    # The warm-up is outside of the recording's span.
    # @param recording [TrackerTrial::TrackerRecording]
    # @return [Holdup::Sizing::Recommendation]
    # @raise [Failure]
    def self.of(recording, kind:)
      store = Holdup::Store.open(recording.store, read_only: true)
      objective = Holdup::Sizing::Objective.new(OBJECTIVES.fetch(kind))
      inputs = Holdup::Queries::SizingInputs.new(store, from_s: recording.from_s, to_s: recording.to_s, kind:,
        objective:, warm_up_s: 0)
      recommendation = inputs.recommendation
      if recommendation.nil? || recommendation.traffic.empty?
        raise Failure, "#{recording.name}: too little was recorded"
      end
      recommendation
    ensure
      store&.close
    end
  end

  # What `holdup advise` and `holdup whatif` would predict from a recording, for a given load.
  class RecordedPredictions
    # @param recording [TrackerTrial::TrackerRecording]
    # @param rate [Float] requests or jobs per second
    # @param kind [Symbol] of the units
    def initialize(recording, rate:, kind: :request)
      @recording = recording
      @rate = rate
      @kind = kind
      @recommendations = {}
    end

    # @return [SettingFigures]
    def call(processes, threads, slower: 1.0, saturated: slower)
      of({processes:, threads:}, slower:, saturated:)
    end

    # @param changes [Hash] of the recorded Candidate
    # @param slower [Float] see SettingFigures#slowed; the ratio for the times
    # @param saturated [Float] the same for throughput
    # @return [SettingFigures]
    def of(changes, slower: 1.0, saturated: slower)
      recommendation = at(slower)
      prediction = recommendation.of(recommendation.now.with(**changes))
      SettingFigures.new(throughput: prediction.ceiling, **times(prediction)).slowed(saturated:, open: slower)
    end

    # @return [Holdup::Sizing::Recommendation] for that load
    def recommendation = at(1.0)

    private

    def times(prediction)
      {wait_ns: prediction.wait_ns, response_ns: prediction.response_ns, p95_ns: prediction.responses[0.95]}
        .transform_values { |ns| ns || Float::INFINITY }
    end

    def at(slower)
      @recommendations[slower] ||= Holdup::Sizing::Recommendation.new(recorded.recording,
        limits: recorded.limits, objective: recorded.objective,
        factor: @rate * slower / recorded.traffic.peak_rate, bias: recorded.bias, open: true)
    end

    def recorded
      @recorded ||= RecordedAdvice.of(@recording, kind: @kind)
    end
  end
end
