# frozen_string_literal: true

require_relative "setting_comparison"

module Bench
  # One row of a table: what was measured at a setting, and what was predicted of it. `raw` and `corrected`:
  # SettingComparison with the prediction as it is, and as it is for a machine of the row's speed.
  ComparedSetting = Data.define(:measured, :predicted, :raw, :corrected) do
    # @param measured [TrackerTrial::MeasuredSetting] with another one beside it
    # @param predicted [SettingFigures]
    # @param beside [SettingFigures] predicted of the setting beside
    # @return [ComparedSetting]
    def self.in_turns(measured, predicted, beside)
      true_beside = predicted.as_true_for(beside, measured.beside.figures)
      raw, corrected = [predicted, true_beside].map do |figures|
        SettingComparison.new(measured.figures, figures, rate: measured.rate)
      end
      new(measured:, predicted:, raw:, corrected:)
    end

    # @param measured [#figures, #rate, #saturated, #open]
    # @param calibration_ns [Float] while it was recorded
    # @yieldparam ratios [Hash] `slower` and `saturated`: see SettingFigures#slowed
    # @yieldreturn [SettingFigures] predicted
    def self.of(measured, calibration_ns, rate: measured.rate)
      phases = [measured.saturated, measured.open]
      saturated, slower = phases.map { |cost| cost.calibration_ns / calibration_ns }
      predicted = yield({})
      raw, corrected = [predicted, yield({slower:, saturated:})].map do |figures|
        SettingComparison.new(measured.figures, figures, rate:)
      end
      new(measured:, predicted:, raw:, corrected:)
    end

    def missed = corrected.missed

    # @param caught [Boolean] whether the advice said of its own accord that it may be wrong
    # @return [Array<String>] of COLUMNS
    def cells(caught:)
      found = measured.figures
      [
        measured.name,
        format("%.2f", found.throughput), format("%.2f", predicted.throughput), *errors(:throughput),
        ms(found.wait_ns), ms(predicted.wait_ns), *errors(:wait),
        ms(found.p95_ns), ms(predicted.p95_ns), *errors(:p95),
        *costs.map { |ns| ms(ns) },
        verdict(caught)
      ]
    end

    private

    def costs
      phases = [measured.saturated, measured.open]
      [*phases.map(&:cpu_ns), *phases.map(&:calibration_ns)]
    end

    def errors(name)
      [raw, corrected].map do |comparison|
        error = comparison.errors[name]
        error ? format("%+.1f", error * 100) : "too busy"
      end
    end

    def ms(ns)
      ns.to_f.infinite? ? "without end" : format("%.1f", ns / 1e6)
    end

    def verdict(caught)
      return "ok" if missed.empty?
      names = missed.map { |name| self.class::NAMES.fetch(name) }.join(", ")
      "#{caught ? "caught" : "missed"}: #{names}"
    end
  end

  ComparedSetting::NAMES = {throughput: "throughput", wait: "waits", p95: "p95"}.freeze

  # @param unit [String] "request" or "job"
  # @param waits [String] what counts as waiting
  # @return [Array<String>]
  def ComparedSetting.columns(setting, unit, waits: "queued + stalled")
    [
      setting,
      "#{unit}s/s, saturated", "predicted", "error, %", "corrected, %",
      "#{waits}, ms", "predicted", "error, % of the response", "corrected, %",
      "p95, ms", "predicted", "error, %", "corrected, %",
      "CPU a #{unit}, ms: saturated", "open",
      "calibration, ms: saturated", "open",
      "verdict"
    ]
  end
end
