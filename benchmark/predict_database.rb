# frozen_string_literal: true

require_relative "support/bench"
require_relative "support/tracker/calibration"
require_relative "support/tracker/recorded_predictions"
require_relative "support/tracker/trial"

module Bench
  # Whether the advice is right for an application with hundreds of queries in each request, however its load
  # was while it was recorded.
  class PredictDatabase
    RECORDED = [1, 5].freeze
    # The recorded setting again: how much differs without any prediction of another one.
    SETTINGS = [RECORDED, [1, 1], [1, 2], [1, 3], [1, 8], [1, 10], [2, 5]].freeze
    QUICK_SETTINGS = [RECORDED, [2, 5]].freeze
    RAMP = [1, 2, 3, 4, 5, 7, 10, 15].freeze
    # Of the throughput at saturation.
    OPEN_SHARE = 0.7
    DAY_SHARES = (0.2..0.9)
    SEED = 0
    MS = 1e6
    COLUMNS = [
      "processes x threads",
      "requests/s, saturated", "predicted", "error, %", "corrected, %",
      "queued + stalled, ms", "predicted", "error, % of the response", "corrected, %",
      "p95, ms", "predicted", "error, %", "corrected, %",
      "CPU a request, ms: saturated", "open",
      "calibration, ms: saturated", "open",
      "verdict"
    ].freeze
    NAMES = {throughput: "throughput", wait: "queued + stalled", p95: "p95"}.freeze

    # Seconds of each part.
    Plan = Data.define(:settings, :warm_up_s, :saturated_s, :open_s, :recorded_s, :whole_minutes)

    # One row. `raw` and `corrected`: SettingComparison
    ComparedSetting = Data.define(:measured, :predicted, :raw, :corrected) do
      def missed = corrected.missed
    end

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @plan = if quick
        Plan.new(settings: QUICK_SETTINGS, warm_up_s: 2, saturated_s: 3, open_s: 5, recorded_s: 8,
          whole_minutes: false)
      else
        Plan.new(settings: SETTINGS, warm_up_s: 15, saturated_s: 20, open_s: 50, recorded_s: 180,
          whole_minutes: true)
      end
    end

    # @return [Result]
    def call
      Fresh.scratch do |scratch|
        TrackerApp.open do |app|
          Calibration.run(app.folder) do |calibration|
            run(TrackerTrial.new(app, calibration, scratch:, **spans))
          end
          compare
        end
      end
      Result.new(title: "A database-bound Rails application at other settings, predicted", about:,
        tables: @compared.map { |recording, rows| table(recording, rows) }, budgets:, notes:)
    end

    private

    def spans = @plan.to_h.slice(:warm_up_s, :saturated_s, :open_s, :whole_minutes)

    # The recorded setting's own row gives the rate of everything else.
    def run(trial)
      first, *others = @plan.settings
      @measured = [measure(trial, first, share: OPEN_SHARE)]
      @recordings = record(trial)
      @measured.concat(others.map { |setting| measure(trial, setting, rate:) })
    end

    def rate = @measured.first.rate

    def capacity = @measured.first.figures.throughput

    def measure(trial, setting, **load)
      warn("bench: #{setting.join(" x ")}")
      trial.measure(*setting, **load)
    end

    def record(trial)
      loads.map do |name, load|
        warn("bench: recording: #{name}")
        trial.record(*RECORDED, name, &load)
      end
    end

    # @return [Hash{String => Proc}] each drives a server and returns the number of answers
    def loads
      {
        "closed ramp" => method(:ramp).to_proc,
        "open" => ->(server) { serve(server, steady) },
        "day" => ->(server) { serve(server, day) }
      }
    end

    def ramp(server)
      RAMP.sum { |connections| server.ask(connections, @plan.recorded_s.fdiv(RAMP.size)).answered }
    end

    def serve(server, arrivals)
      server.serve(arrivals, @plan.recorded_s).total.answered
    end

    def steady
      ChangingArrivals.steady(TrackerPages::ALL, rate:, seconds: @plan.recorded_s, seed: SEED)
    end

    def day
      least, most = DAY_SHARES.minmax.map { |share| share * capacity }
      ChangingArrivals.day(TrackerPages::ALL, least:, most:, seconds: @plan.recorded_s, seed: SEED)
    end

    def compare
      warn("bench: predicting")
      @predictions = @recordings.to_h { |recording| [recording, RecordedPredictions.new(recording, rate:)] }
      @compared = @predictions.to_h do |recording, predictions|
        [recording, @measured.map { |measured| row(recording, predictions, measured) }]
      end
    end

    def row(recording, predictions, measured)
      size = [measured.processes, measured.threads]
      saturated, slower = [measured.saturated, measured.open].map do |cost|
        cost.calibration_ns / recording.calibration_ns
      end
      predicted = predictions.call(*size)
      raw, corrected = [predicted, predictions.call(*size, slower:, saturated:)].map do |figures|
        SettingComparison.new(measured.figures, figures, rate:)
      end
      ComparedSetting.new(measured:, predicted:, raw:, corrected:)
    end

    def table(recording, rows)
      Table.new(["recorded under #{recording.name}: #{COLUMNS.first}", *COLUMNS.drop(1)],
        rows.map { |row| cells(recording, row) })
    end

    def cells(recording, row)
      found = row.measured.figures
      expected = row.predicted
      [
        row.measured.name,
        format("%.2f", found.throughput), format("%.2f", expected.throughput), *errors(row, :throughput),
        ms(found.wait_ns), ms(expected.wait_ns), *errors(row, :wait),
        ms(found.p95_ns), ms(expected.p95_ns), *errors(row, :p95),
        *costs(row.measured).map { |ns| ms(ns) },
        verdict(recording, row)
      ]
    end

    def costs(measured)
      phases = [measured.saturated, measured.open]
      [*phases.map(&:cpu_ns), *phases.map(&:calibration_ns)]
    end

    def errors(row, name)
      [row.raw, row.corrected].map do |comparison|
        error = comparison.errors[name]
        error ? format("%+.1f", error * 100) : "too busy"
      end
    end

    def ms(ns) = format("%.1f", ns / MS)

    def verdict(recording, row)
      return "ok" if row.missed.empty?
      names = row.missed.map { |name| NAMES.fetch(name) }.join(", ")
      caught?(recording) ? "caught: #{names}" : "missed: #{names}"
    end

    # The advice said of its own accord that it may be wrong.
    def caught?(recording)
      self_test(recording).grade != :a
    end

    def self_test(recording) = @predictions.fetch(recording).recommendation.self_test

    def about
      "An issue tracker (`benchmark/database_app`) in Rails, Puma and YJIT with a PostgreSQL of its own " \
      "behind TCP on the same machine: eight pages of 250 to 400 queries each. #{recorded} #{measured} All " \
      "times are Holdup's own: from the client's sending to the request's end. Predictions come from each " \
      "recording's store as in `holdup advise`, for the same load."
    end

    def recorded
      shares = DAY_SHARES.minmax.map { |share| percent(share) }.join(" and ")
      "It is recorded at #{RECORDED.join(" x ")} for #{@plan.recorded_s} s under each of three loads: a " \
      "closed ramp of #{RAMP.join(", ")} connections with keep-alive; an open load (Poisson) at " \
      "#{percent(OPEN_SHARE)} of the throughput at saturation; and a day, an open load between #{shares} " \
      "of it."
    end

    def measured
      "Then every setting has a boot of its own: throughput is measured for #{@plan.saturated_s} s with " \
      "#{TrackerServer::CROWD} connections a thread, times for #{@plan.open_s} s under " \
      "#{format("%.2f", rate)} requests a second (Poisson). The row #{RECORDED.join(" x ")} is the " \
      "recorded setting, booted again."
    end

    def notes
      ["Corrected: predicted for a machine that is slower or faster by the ratio of the calibration (fixed " \
        "work, timed once a second) in the row to that in the recording. Verdicts and budgets are about " \
        "these errors. Caught: the self-test's grade was B or C.",
        "Too busy: the load is more than #{percent(SettingComparison::BUSY)} of what that setting served " \
          "at saturation, so the length of its queue is mostly chance, and throughput alone is judged.",
        *@recordings.map { |recording| note(recording) }]
    end

    def note(recording)
      advised = @predictions.fetch(recording).recommendation
      observed = advised.recording
      test = advised.self_test
      errors = test.errors.map { |name, error| format("%s %+.1f %%", name, error * 100) }.join(", ")
      format("Recorded under %s: %s; self-test: grade %s (%s)%s; problems: %s.", recording.name,
        circumstances(recording, observed), test.grade.upcase, errors, reasons(test),
        list(observed.problems + observed.warnings.keys))
    end

    def circumstances(recording, observed)
      demand = observed.demand
      format("%d requests, each with %.1f ms CPU, %.1f ms with the GVL, %.1f ms idle, %.0f acquisitions; " \
        "calibration %.1f ms; everything but the server used %.2f CPUs", observed.units,
        recording.cpu_ns / MS, demand.held_ns / MS, demand.idle_ns / MS, demand.acquisitions,
        recording.calibration_ns / MS, recording.beside)
    end

    def reasons(test)
      (test.grade == :a) ? "" : ", because of #{list(test.reasons)}"
    end

    def list(names) = names.empty? ? "none" : names.join(", ")

    def budgets
      @compared.flat_map do |recording, rows|
        SettingComparison::LIMITS.map do |name, limit|
          largest = rows.filter_map { |row| row.corrected.errors[name]&.abs }.max.to_f
          Budget.new("Recorded under #{recording.name}: largest error of #{NAMES.fetch(name)}, corrected" \
            "#{" (self-test #{self_test(recording).grade.upcase})" if caught?(recording)}",
            (limit * 100).round, largest * 100, "%")
        end
      end
    end

    def percent(share) = format("%.0f %%", share * 100)
  end
end
