# frozen_string_literal: true

require "holdup/loader"
require_relative "setting_comparison"

module Bench
  # What `holdup advise` and `holdup whatif` would predict from a recording, for a given load.
  class RecordedPredictions
    # @param recording [TrackerTrial::TrackerRecording]
    # @param rate [Float] requests per second
    def initialize(recording, rate:)
      @recording = recording
      @rate = rate
      @recommendations = {}
    end

    # @param slower [Float] see SettingFigures#slowed; the ratio for the times
    # @param saturated [Float] the same for throughput
    # @return [SettingFigures]
    def call(processes, threads, slower: 1.0, saturated: slower)
      recommendation = at(slower)
      prediction = recommendation.of(recommendation.now.with(processes:, threads:))
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

    # The warm-up is outside of the recording's span.
    def recorded
      @recorded ||= begin
        store = Holdup::Store.open(@recording.store, read_only: true)
        inputs = Holdup::Queries::SizingInputs.new(store, from_s: @recording.from_s, to_s: @recording.to_s,
          kind: :request, objective: Holdup::Sizing::Objective.new(:latency), warm_up_s: 0)
        recommendation = inputs.recommendation
        if recommendation.nil? || recommendation.traffic.empty?
          raise Failure, "#{@recording.name}: too little was recorded"
        end
        recommendation
      ensure
        store&.close
      end
    end
  end
end
