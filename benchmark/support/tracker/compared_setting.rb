# frozen_string_literal: true

require_relative "setting_comparison"

module Bench
  # How many times as long a machine needed for everything as while it was recorded: `saturated` while
  # throughput was measured, `slower` while times were. The recorded setting shows it, which was measured
  # again. Fixed work, timed meanwhile, does not: it varies two or three times as much as the application.
  MachineRatios = Data.define(:saturated, :slower) do
    # @param found [SettingFigures] of the recorded setting
    # @param open [Boolean] whether units came on their own
    # @yieldparam ratios [Hash] `slower`: see SettingFigures#slowed
    # @yieldreturn [SettingFigures] what was predicted of it
    def self.of(found, open:, &)
      saturated = yield({}).throughput / found.throughput
      new(saturated:, slower: open ? slower(found, &) : saturated)
    end

    # Waits change by more than the speed, so the ratio is sought with which the mean response is as measured.
    def self.slower(found)
      least, most = self::RANGE.minmax
      self::STEPS.times do
        middle = (least + most) / 2
        (yield({slower: middle}).response_ns < found.response_ns) ? least = middle : most = middle
      end
      (least + most) / 2
    end
    private_class_method :slower
  end

  MachineRatios::RANGE = 0.6..1.6
  # Halvings of the range: they narrow it to 1 %.
  MachineRatios::STEPS = 6

  # One row of a table: what was measured at a setting, and what was predicted of it. `raw` and `corrected`:
  # SettingComparison with the prediction as it is, and as it is for a machine of the row's speed.
  ComparedSetting = Data.define(:measured, :predicted, :raw, :corrected) do
    # @param measured [#figures, #rate, #saturated, #open]
    # @param ratios [MachineRatios]
    # @yieldparam ratios [Hash] see SettingFigures#slowed
    # @yieldreturn [SettingFigures] predicted
    def self.of(measured, ratios)
      predicted = yield({})
      raw, corrected = [predicted, yield(ratios.to_h)].map do |figures|
        SettingComparison.new(measured.figures, figures, rate: measured.rate)
      end
      new(measured:, predicted:, raw:, corrected:)
    end

    def missed = corrected.missed

    # @param caught [Boolean] whether the advice said of its own accord that it may be wrong
    # @param chance [Array<Symbol>] figures in which two boots of one setting differ by more than is allowed
    # @return [Array<String>] of COLUMNS
    def cells(caught:, chance: [])
      found = measured.figures
      [
        measured.name,
        format("%.2f", found.throughput), format("%.2f", predicted.throughput), *errors(:throughput),
        ms(found.wait_ns), ms(predicted.wait_ns), *errors(:wait),
        ms(found.p95_ns), ms(predicted.p95_ns), *errors(:p95),
        *costs.map { |ns| ms(ns) },
        verdict(caught, chance)
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

    def verdict(caught, chance)
      return "ok" if missed.empty?
      return "caught: #{names(missed)}" if caught
      judged = missed - chance
      judged.empty? ? "chance: #{names(missed)}" : "missed: #{names(judged)}"
    end

    def names(figures) = figures.map { |name| self.class::NAMES.fetch(name) }.join(", ")
  end

  ComparedSetting::NAMES = {throughput: "throughput", wait: "waits", p95: "p95"}.freeze

  # @param unit [String] "request" or "job"
  # @param waits [String] what counts as waiting
  # @return [Array<String>]
  def ComparedSetting.columns(setting, unit, waits: "queued + GVL wait")
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
