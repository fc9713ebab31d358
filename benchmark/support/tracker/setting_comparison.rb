# frozen_string_literal: true

module Bench
  # What a setting does, measured or predicted. `throughput`: requests per second at saturation; at the open
  # load `wait_ns` (queued + stalled) and `response_ns`: means, `p95_ns`: of the response. Predicted times are
  # infinite where there is no prediction because the load is more than the setting can serve.
  SettingFigures = Data.define(:throughput, :wait_ns, :response_ns, :p95_ns) do
    # As on a machine that needs so many times as long for everything, the database included. The waits have
    # to be predicted for as many times the requests: time is stretched, and the load with it.
    # @param saturated [Float] ratio while throughput was measured
    # @param open [Float] the same of the times
    # @return [SettingFigures]
    def slowed(saturated:, open:)
      new_times = {wait_ns: wait_ns * open, response_ns: response_ns * open, p95_ns: p95_ns * open}
      with(throughput: throughput / saturated, **new_times)
    end

    # @param all [Array<SettingFigures>] of boots of one setting
    # @return [SettingFigures]
    def self.mean(all)
      new(**members.to_h { |name| [name, all.sum(&name) / all.size.to_f] })
    end
  end

  # One setting: how far its prediction is from what was measured there.
  class SettingComparison
    LIMITS = {throughput: 0.08, wait: 0.15, p95: 0.20}.freeze
    # Part of the throughput at saturation. Beyond it the length of a queue is mostly chance, so that
    # throughput alone is judged. Advise::Sizing::Guards has the same limit.
    BUSY = 0.85

    # @param measured [SettingFigures]
    # @param predicted [SettingFigures]
    # @param rate [Float] requests per second of the open load
    def initialize(measured, predicted, rate:)
      @measured = measured
      @predicted = predicted
      @rate = rate
    end

    # @return [Hash{Symbol => Float}] signed shares; waits are judged against the response: 1 ms instead of 2
    #   of 300 does not matter. Without times where the setting was too busy
    def errors
      found = {throughput: off(:throughput)}
      return found if busy?
      found.merge(wait: (@predicted.wait_ns - @measured.wait_ns) / @measured.response_ns, p95: off(:p95_ns))
    end

    # @return [Boolean] whether the open load was nearly what the setting can serve
    def busy? = @rate > BUSY * @measured.throughput

    # @return [Array<Symbol>] errors beyond their limits
    def missed
      errors.select { |name, error| error.abs > LIMITS.fetch(name) }.keys
    end

    private

    def off(name)
      @predicted.public_send(name) / @measured.public_send(name).to_f - 1
    end
  end
end
