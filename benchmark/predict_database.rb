# frozen_string_literal: true

require_relative "support/bench"
require_relative "support/tracker/compared_setting"
require_relative "support/tracker/experiment"
require_relative "support/tracker/recorded_predictions"

module Bench
  # Whether the advice is right for an application with hundreds of queries in each request, however its load
  # was while it was recorded.
  class PredictDatabase
    # The recorded setting again: how much differs without any prediction of another one.
    SETTINGS = [TrackerExperiment::RECORDED, [1, 1], [1, 2], [1, 3], [1, 8], [1, 10], [2, 5]].freeze
    WHOLE = TrackerExperiment::TrialPlan.new(settings: SETTINGS, warm_up_s: 15, saturated_s: 20,
      open_s: 60, recorded_s: 180, level_s: 20, ramps: 2, whole_minutes: true)
    QUICK = TrackerExperiment::TrialPlan.new(settings: [SETTINGS.first, SETTINGS.last], warm_up_s: 2,
      saturated_s: 3, open_s: 5, recorded_s: 8, level_s: 1, ramps: 1, whole_minutes: false)
    # Variable with a folder that keeps what was recorded and measured. A run that finds it there only
    # predicts, so that two states of the model can be compared on the same measurements.
    KEPT = "BENCH_RECORDINGS"
    MS = 1e6

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @plan = quick ? QUICK : WHOLE
    end

    # @return [Result]
    def call
      folder = ENV.fetch(KEPT, nil)
      folder ? compare(kept(folder)) : Dir.mktmpdir("holdup-bench") { |own| compare(experiment(own)) }
      Result.new(title: "A database-bound Rails application at other settings, predicted", about:,
        tables: @compared.map { |recording, rows| table(recording, rows) }, budgets:, notes:)
    end

    private

    def kept(folder)
      return TrackerExperiment::Measurements.kept(folder) if TrackerExperiment::Measurements.kept?(folder)
      FileUtils.mkdir_p(folder)
      experiment(folder).keep(folder)
    end

    def experiment(folder)
      TrackerExperiment.new(@plan, folder:, progress: ->(what) { warn("bench: #{what}") }).call
    end

    def rate = @measurements.rate

    # Reads all that it needs, so that the stores may go afterwards.
    def compare(measurements)
      warn("bench: predicting")
      @measurements = measurements
      @plan = measurements.plan
      sent = TrackerTrial.open_arrivals(rate:, seconds: @plan.open_s).to_a
      @predictions = measurements.recordings.to_h do |recording|
        [recording, RecordedPredictions.new(recording, rate:, sent:)]
      end
      @compared = @predictions.to_h do |recording, predictions|
        [recording, measurements.measured.map { |measured| row(predictions, measured) }]
      end
    end

    # The recorded setting took turns with the row's.
    def row(predictions, measured)
      beside = measured.beside
      ratios = MachineRatios.of(beside.figures, open: true) do |ratio|
        predictions.call(beside.processes, beside.threads, **ratio)
      end
      ComparedSetting.of(measured, ratios) do |ratio|
        predictions.call(measured.processes, measured.threads, **ratio)
      end
    end

    def table(recording, rows)
      columns = ComparedSetting.columns("recorded under #{recording.name}: processes x threads", "request")
      ResultTable.new(columns, rows.map { |row| row.cells(caught: caught?(recording)) })
    end

    # The advice said of its own accord that it may be wrong.
    def caught?(recording)
      self_test(recording).grade != :a
    end

    def self_test(recording) = @predictions.fetch(recording).recommendation.self_test

    def about
      "An issue tracker (`benchmark/database_app`) in Rails, Puma and YJIT with a PostgreSQL of its own " \
      "behind TCP on the same machine: #{pages}. #{recorded} #{measured} All times are Holdup's own: from " \
      "the client's sending to the request's end. Predictions come from each recording's store as in " \
      "`holdup advise`, for the same load."
    end

    def pages
      least, most = TrackerPages::QUERIES.minmax
      "#{TrackerPages::ALL.size} pages of #{least} to #{most} queries each"
    end

    def recorded_setting = TrackerExperiment::RECORDED.join(" x ")

    def recorded
      connections = TrackerExperiment::RAMP.join(", ")
      share = percent(TrackerExperiment::OPEN_SHARE)
      day = TrackerExperiment::DAY_SHARES.minmax.map { |limit| percent(limit) }.join(" and ")
      "It is recorded at #{recorded_setting} under each of three loads: a closed ramp of #{connections} " \
      "connections with keep-alive, #{@plan.level_s} s each, #{@plan.ramps} times; for " \
      "#{@plan.recorded_s} s an open load (Poisson) at #{share} of the throughput at saturation; and as " \
      "long a day, an open load between #{day} of it."
    end

    def measured
      "Then every setting takes #{TrackerTrial::TURNS} turns with another boot of the recorded one: " \
      "throughput is measured for #{@plan.saturated_s} s with " \
      "#{TrackerServer::CROWD} connections a thread, times for #{@plan.open_s} s under " \
      "#{format("%.2f", rate)} requests a second (Poisson), the same ones at the same moments " \
      "everywhere; times are predicted for these very requests, each of which takes what some recorded " \
      "request to its page took. The row #{recorded_setting} is the recorded setting, booted again."
    end

    def notes
      ["Corrected: predicted for a machine that is as much slower or faster as the recorded setting was, " \
        "which took turns with the row's: in throughput, and in its mean response. Verdicts and budgets " \
        "are about these errors. #{boots} Calibration: fixed work, timed once a second; it varies more " \
        "than the application. Caught: the self-test's grade was B or C.",
        *assignment,
        "Too busy: the load is more than #{percent(SettingComparison::BUSY)} of what that setting served " \
          "at saturation, so the length of its queue is mostly chance, and throughput alone is judged.",
        *@measurements.recordings.map { |recording| note(recording) }]
    end

    # By how much chance and the machine move a row of its own accord.
    def boots
      found = [@measurements.measured.first, *@measurements.measured.map(&:beside)].map(&:figures)
      least, most = found.map(&:throughput).minmax
      p95 = found.map { |figures| figures.p95_ns / MS }.minmax
      format("The recorded setting was booted %d times: it served %.2f to %.2f requests/s, with a p95 of " \
        "%.0f to %.0f ms.", found.size, least, most, *p95)
    end

    # A recording of one process does not show how requests come to several.
    def assignment
      several = @plan.settings.select { |processes, _| processes > 1 }
      @predictions.flat_map do |recording, predictions|
        several.map do |size|
          ways = predictions.p95_by_assignment(*size).map { |name, ns| format("%s %.0f ms", name, ns / MS) }
          "Recorded under #{recording.name}: the p95 of #{size.join(" x ")} is the mean of two ways in " \
            "which requests may come to its processes: #{ways.join(", ")}. This client opens a connection " \
            "for each request, which a process with a free thread takes."
        end
      end
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
          what = ComparedSetting::NAMES.fetch(name)
          Budget.new("Recorded under #{recording.name}: largest error of #{what}, corrected" \
            "#{" (self-test #{self_test(recording).grade.upcase})" if caught?(recording)}",
            (limit * 100).round, largest * 100, "%")
        end
      end
    end

    def percent(share) = format("%.0f %%", share * 100)
  end
end
