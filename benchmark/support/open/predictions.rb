# frozen_string_literal: true

require "holdup/loader"
require_relative "server"

module Bench
  # What `holdup whatif` would say of an open load, from one recording: for the very requests of a turn, each
  # of which takes what some recorded request of its kind took.
  class OpenPredictions
    SIZING = Holdup::Advise::Sizing
    # How often the sent requests are played, each time with other recorded ones in their place.
    DRAWS = 8
    PERCENTILES = SIZING::Forecast::PERCENTILES

    # @param shape [OpenShape]
    # @param recorded [OpenServer::OpenRecording]
    def initialize(shape, recorded)
      @shape = shape
      @recorded = recorded
    end

    # @return [Holdup::Advise::Sizing::Recommendation]
    def recommendation
      @recommendation ||= SIZING::Recommendation.new(recording, limits:, open: true)
    end

    # @return [Float] requests per second at most
    def ceiling(processes, threads)
      recommendation.of(candidate(processes, threads)).ceiling
    end

    # @param pattern [OpenPattern]
    # @return [Hash{Float => Float}] percentile => ns of queued + elapsed
    def call(processes, threads, pattern, rate:, seconds:, seed:)
      due = pattern.due(routes: @shape.routes, rate:, seconds:, seed:)
      candidate = candidate(processes, threads)
      forecast = recommendation.forecast(rate:, round: round(pattern))
      drawn = (1..DRAWS).map do |draw|
        forecast.call(candidate, trace(due, seconds, draw), force: true).responses
      end
      PERCENTILES.to_h { |share| [share, drawn.sum { |found| found.fetch(share) }.fdiv(DRAWS)] }
    end

    private

    def recording
      @recording ||= @recorded.recording(shared: !@shape.jobs.nil?)
    end

    # The client and the services that requests ask work for each of them; what else runs on the machine does
    # so anyway.
    def limits
      mean = @recorded.beside
      constant = [@recorded.idle_beside, mean].min
      others = SIZING::ResourceLimits::OtherCpus.new(constant:, mean:,
        unit_ns: (mean - constant) / @recorded.rate * 1e9)
      SIZING::ResourceLimits.new(vcpus: recording.setting["vcpus"], others:)
    end

    def candidate(processes, threads)
      jobs = @shape.jobs&.threads
      return recommendation.now.with(processes:, threads:) unless jobs
      recommendation.now.with(processes:, threads: threads + jobs, other_threads: [jobs],
        concurrent_threads: [jobs])
    end

    # Requests on kept connections come to any process; a new connection is taken by one that is not busy.
    def round(pattern)
      recommendation.self_test.assignments.index(pattern.kept ? :random : :least_busy) || 0
    end

    def trace(due, seconds, draw)
      random = Random.new(draw)
      units = due.map { |arrival| SIZING::Trace::TraceUnit.of(sample(arrival, random), arrival.at_ns) }
      concurrent = recording.concurrent_units
      return SIZING::Trace.new(units) unless concurrent
      spans = [[@shape.jobs.rate, (seconds * 1e9).round]]
      SIZING::Trace.new(units,
        concurrent_units: concurrent.trace(spans, pools: recording.pools, seed: draw))
    end

    def sample(arrival, random)
      units.fetch(arrival.route.label).sample(random:)
    end

    def units
      @units ||= recording.unit_samples.group_by { |unit| unit.series.name }
    end
  end
end
