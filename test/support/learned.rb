# frozen_string_literal: true

require "holdup/loader"
require "holdup/model/prediction_outcome"

# What came of earlier predictions, in terms of how they came out: measured against predicted.
module Learned
  module_function

  NS = 100_000_000

  # @param self_test [Float] the same of the setting that was predicted from
  # @param expected [Array(Integer, Integer), nil] ns between which the measurement was expected
  # @return [Holdup::PredictionOutcome::Quantity]
  def figure(ratio, self_test: 1.0, ns: NS, expected: nil)
    Holdup::PredictionOutcome::Quantity.new(recorded_ns: (ns * self_test).round, replayed_ns: ns,
      predicted_ns: ns, measured_ns: (ns * ratio).round,
      **%i[lowest_ns highest_ns].zip(expected.to_a).to_h)
  end

  # @param ratio [Float] of p95
  # @return [Holdup::PredictionOutcome]
  def outcome(ratio = 1.0, figures: {p95: figure(ratio)}, **rest)
    Holdup::PredictionOutcome.new(
      at_s: 0,
      app: Holdup::Analysis::ApplicationShares::UNNAMED,
      kind: :request,
      pool: "",
      setting: "a",
      from_s: 0,
      to_s: 1,
      processes: 2,
      threads: 5,
      time_slice_ns: NS,
      units: 5_000,
      figures:,
      **rest
    )
  end

  # @param ratios [Array<Float>] of one outcome each, of all its figures
  # @param times [Integer] each
  # @return [Holdup::Advise::Sizing::PredictionBias]
  def learned(*ratios, times: 1)
    Holdup::Advise::Sizing::PredictionBias.new(ratios.flat_map { |ratio|
      [outcome(figures: %i[response p95
        wait].to_h { |name| [name, figure(ratio)] })] * times
    })
  end
end
