# frozen_string_literal: true

require_relative "../tracker/recorded_predictions"

module Bench
  # What `holdup advise` and `holdup whatif` would predict from a recording for threads that always have work.
  class BacklogPredictions
    # @param measurements [JobMeasurements]
    def initialize(measurements)
      @recording = measurements.recording
    end

    # A machine that is slower changes all times alike.
    # @param size [Array<Integer>] threads of each capsule
    # @param units [String] "jobs", or beginning with the queue of a capsule
    # @return [SettingFigures]
    def call(size, units, slower: 1.0, saturated: slower)
      order = pool_order(size)
      caps = order.map { |index| size[index] }
      candidate = recommendation.now.with(threads: caps.sum, other_threads: caps.drop(1))
      pool = recommendation.pools_of(candidate)[order.index(pool_index(units))]
      figures(candidate, pool).slowed(saturated:, open: slower)
    end

    # @return [Holdup::Advise::Sizing::Recommendation]
    def recommendation(_units = nil)
      @recommendation ||= RecordedAdvice.of(@recording, kind: :job)
    end

    private

    # Several pools: what `whatif` shows of each, since the ceiling is that of the recorded mix.
    def figures(candidate, pool)
      several = recommendation.recording.pools.several?
      throughput = several ? pool.throughput : recommendation.of(candidate).ceiling
      SettingFigures.new(throughput:, wait_ns: pool.stalled_ns, response_ns: pool.wall_ns,
        p95_ns: pool.wall_p95_ns)
    end

    # The busiest capsule is the first of the candidate.
    # @return [Array<Integer>] the place of each of its pools in a size
    def pool_order(size)
      names = recommendation.recording.pools.names
      return [0] if names.empty?
      names.map { |name| CapsulesPart::UNITS.index { |units| name.include?(units.split.first) } }
    end

    def pool_index(units) = CapsulesPart::UNITS.index(units) || 0
  end

  # The same for requests and jobs of one process that come on their own.
  class EmbeddedPredictions
    # @param measurements [JobMeasurements]
    def initialize(measurements)
      @predictions = EmbeddedPart::KINDS.to_h do |units, kind|
        rate = measurements.rates.fetch(units)
        [units, RecordedPredictions.new(measurements.recording, rate:, kind:)]
      end
    end

    # A machine that is slower is asked for as many times the units of this kind; those of the other keep
    # their rate.
    # @param size [Array<Integer>] web and job threads
    # @return [SettingFigures]
    def call(size, units, **ratios)
      own, other = (units == "requests") ? size : size.reverse
      shared = recommendation(units).now.concurrent_threads.any?
      changes = shared ? {other_threads: [other], concurrent_threads: [other]} : {}
      threads = shared ? own + other : own
      @predictions.fetch(units).of({threads:, **changes}, **ratios)
    end

    # @return [Holdup::Advise::Sizing::Recommendation]
    def recommendation(units) = @predictions.fetch(units).recommendation
  end
end
