# frozen_string_literal: true

require "holdup/loader"
require_relative "setting_comparison"

module Bench
  # What `holdup advise` reads of a recording.
  module RecordedAdvice
    OBJECTIVES = {request: :latency, job: :throughput}.freeze

    # The warm-up is outside of the recording's span.
    # @param recording [TrackerTrial::TrackerRecording]
    # @return [Holdup::Advise::Sizing::Recommendation]
    # @raise [Failure]
    def self.of(recording, kind:)
      store = Holdup::Store.open(recording.store, read_only: true)
      objective = Holdup::Advise::Sizing::Objective.new(name: OBJECTIVES.fetch(kind))
      inputs = Holdup::Advise::Reader.new(store, from_s: recording.from_s, to_s: recording.to_s, kind:,
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
    # How often the sent requests are played, each time with other recorded units in their place.
    DRAWS = 8

    # @param recording [TrackerTrial::TrackerRecording]
    # @param rate [Float] requests or jobs per second
    # @param sent [Array<Holdup::Lab::Load::Arrivals::Arrival>, nil] the very requests of the load, each of
    #   which takes what some recorded unit of its endpoint took. nil: any units, at moments of their own,
    #   whose chance differs from the load's: a minute's p95 varies by 15 % from one seed to the next
    # @param kind [Symbol] of the units
    def initialize(recording, rate:, sent: nil, kind: :request)
      @recording = recording
      @rate = rate
      @sent = sent
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
      recommendation = at(@sent ? 1.0 : slower)
      candidate = recommendation.now.with(**changes)
      prediction = prediction(recommendation, candidate)
      times = @sent ? times_of_sent(candidate, slower) : times(prediction)
      SettingFigures.new(throughput: prediction.ceiling, **times).slowed(saturated:, open: slower)
    end

    # @return [Holdup::Advise::Sizing::Recommendation] for that load
    def recommendation = at(1.0)

    # @return [Hash{Symbol => Float}] ns by the way in which units come to one of several processes
    def p95_by_assignment(processes, threads)
      candidate = recommendation.now.with(processes:, threads:)
      recommendation.self_test.assignments.each_with_index.to_h do |name, round|
        [name, times_of_sent(candidate, 1.0, round:).fetch(:p95_ns)]
      end
    end

    private

    def prediction(recommendation, candidate)
      @all ||= {}
      @all[[recommendation.object_id, candidate]] ||= recommendation.of(candidate)
    end

    def times(prediction)
      {wait_ns: prediction.wait_ns, response_ns: prediction.response_ns, p95_ns: prediction.responses[0.95]}
        .transform_values { |ns| ns || Float::INFINITY }
    end

    # @param round [Integer, nil] see Advise::Sizing::Search#forecast
    def times_of_sent(candidate, slower, round: nil)
      forecast = recommendation.forecast(rate: @rate * slower, round:)
      drawn = traces(slower).map { |trace| times(forecast.call(candidate, trace, force: true)) }
      drawn.first.keys.to_h { |name| [name, drawn.sum { |times| times[name] } / drawn.size] }
    end

    # Time is stretched for a slower machine, so there the requests come that much sooner.
    def traces(slower)
      @traces ||= {}
      @traces[slower] ||= (1..DRAWS).map { |seed|
        random = Random.new(seed)
        Holdup::Advise::Sizing::Trace.new(@sent.map { |arrival|
          unit = recorded_units.fetch(arrival.route.label).draw(random)
          Holdup::Advise::Sizing::Trace::TraceUnit.of(unit, arrival.at_ns / slower)
        })
      }
    end

    # By endpoint, each with the number of units that it stands for.
    def recorded_units
      @recorded_units ||= begin
        weighted = recorded.traffic.blocks.flat_map(&:scaled)
        by_name = weighted.group_by { |unit, _| unit.series.name }
        by_name.transform_values { |units| Holdup::Advise::Sizing::WeightedSample.new(units) }
      end
    end

    def at(slower)
      @recommendations[slower] ||= Holdup::Advise::Sizing::Recommendation.new(recorded.recording,
        limits: recorded.limits, objective: recorded.objective,
        factor: @rate * slower / recorded.traffic.peak_rate, bias: recorded.bias, open: true)
    end

    def recorded
      @recorded ||= RecordedAdvice.of(@recording, kind: @kind)
    end
  end
end
