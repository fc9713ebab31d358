# frozen_string_literal: true

module Holdup
  # What came of a prediction: another setting than the recorded one was tried, and its units were measured.
  # Later predictions for the same application learn from it.
  #
  # - `at_s`: end of the span that was measured; `units`: measured in it
  # - `app`, `kind`, `pool`: of the units; "-" is an application without a name, "" all pools
  # - `setting`, `from_s`, `to_s`: the recording that was predicted from: its fingerprint and its span
  # - `processes`, `threads`, `time_slice_ns`: what was tried
  # - `figures`: {:response, :p95, :wait => Quantity}
  PredictionOutcome = Data.define(
    :at_s, :app, :kind, :pool, :setting, :from_s, :to_s, :processes, :threads, :time_slice_ns, :units,
    :figures
  ) do
    # @return [Hash{Symbol => Object}] what it is the outcome of; a later one of the same key replaces it
    def key = to_h.slice(*self.class::KEY)
  end

  PredictionOutcome::KEY = %i[app kind pool setting from_s to_s processes threads time_slice_ns].freeze

  # Integers in ns. `recorded_ns`, `replayed_ns`: of the setting that was predicted from, as measured, and as
  # its self-test had it; `predicted_ns`, `measured_ns`: of the one that was tried.
  PredictionOutcome::Quantity = Data.define(:recorded_ns, :replayed_ns, :predicted_ns, :measured_ns)
end
