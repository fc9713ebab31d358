# frozen_string_literal: true

module Holdup
  # The measured result of a setting that was predicted. Later predictions for the application use it.
  #
  # - `at_s`: end of the span that was measured; `units`: measured in it
  # - `app`, `kind`, `pool`: of the units; "-" is an application without a name, "" all pools
  # - `setting`, `from_s`, `to_s`: fingerprint and span of the recording that the prediction started from
  # - `processes`, `threads`, `time_slice_ns`: what was tried
  # - `figures`: {:response, :p95, :wait => Quantity}
  PredictionOutcome = Data.define(
    :at_s, :app, :kind, :pool, :setting, :from_s, :to_s, :processes, :threads, :time_slice_ns, :units,
    :figures
  ) do
    # A later outcome with the same key replaces an earlier one.
    def key = to_h.slice(*self.class::KEY)

    # @return [Float, nil] of the prediction against the measurement, of a wait against the response: 1 ms
    #   instead of 2 of 300 does not matter. nil where it is not known
    def error(name)
      figure = figures[name]
      whole = figures[(name == :wait) ? :response : name]
      return unless figure && whole&.measured_ns&.positive?
      (figure.predicted_ns - figure.measured_ns).fdiv(whole.measured_ns)
    end

    # @return [Boolean, nil] whether the measurement was inside the interval of the prediction; nil where one
    #   is not known
    def inside?(name) = figures[name]&.inside?
  end

  PredictionOutcome::KEY = %i[app kind pool setting from_s to_s processes threads time_slice_ns].freeze

  # Integers in ns. `recorded_ns`, `replayed_ns`: of the recorded setting, as measured and as its self-test
  # computed it; `predicted_ns`, `measured_ns`: of the setting that was tried; `lowest_ns`, `highest_ns`:
  # between which its measurement was expected with 90 %, nil where that was not kept.
  PredictionOutcome::Quantity = Data.define(
    :recorded_ns, :replayed_ns, :predicted_ns, :measured_ns, :lowest_ns, :highest_ns
  ) do
    def initialize(lowest_ns: nil, highest_ns: nil, **rest)
      super
    end

    def interval? = !lowest_ns.nil? && !highest_ns.nil?

    # @return [Boolean, nil] nil without an interval
    def inside?
      measured_ns.between?(lowest_ns, highest_ns) if interval?
    end
  end
end
