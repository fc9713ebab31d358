# frozen_string_literal: true

require_relative "support/bench"
require_relative "support/tracker/compared_setting"
require_relative "support/tracker_jobs/embedded_part"
require_relative "support/tracker_jobs/job_predictions"
require_relative "support/tracker_jobs/sidekiq_parts"
require_relative "support/tracker_jobs/solid_queue_part"

module Bench
  # Whether the advice is right for jobs that ask a database hundreds of times each: on Sidekiq, with
  # capsules, inside of Puma, and on Solid Queue.
  class PredictDatabaseJobs
    PARTS = [SidekiqPart, CapsulesPart, EmbeddedPart, SolidQueuePart].freeze
    WHOLE = JobPart::Phases.new(warm_up_s: 10, saturated_s: 16, open_s: 24, recorded_s: 60,
      whole_minutes: true)
    QUICK = JobPart::Phases.new(warm_up_s: 1, saturated_s: 3, open_s: 4, recorded_s: 12, whole_minutes: false)
    # Variable with the names of the parts to run, separated by commas; all of them without it.
    CHOSEN = "BENCH_PARTS"
    # See PredictDatabase: the folder that keeps what was recorded and measured.
    KEPT = "BENCH_RECORDINGS"
    MS = 1e6

    # A part with its rows, and what they were predicted by.
    ComparedPart = Data.define(:part, :measurements, :predictions, :rows) do
      def self_test(units) = predictions.recommendation(units).self_test

      # The advice said of its own accord that it may be wrong.
      def caught?(units) = self_test(units).grade != :a

      # Figures in which the two boots of the recorded setting differ by more than a prediction may.
      def chance(units)
        first, *, last = measurements.recorded_setting(units)
        SettingComparison.new(first.figures, last.figures, rate: first.rate).missed
      end

      def units = part::UNITS

      def of_units(units) = rows.select { |row| row.measured.units == units }
    end

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @quick = quick
      @phases = quick ? QUICK : WHOLE
    end

    # @return [Result]
    # @raise [Failure]
    def call
      folder = ENV.fetch(KEPT, nil)
      @compared = folder ? compare(folder) : Dir.mktmpdir("holdup-bench") { |own| compare(own) }
      Result.new(title: "Database-bound jobs at other settings, predicted", about:,
        tables: @compared.map { |compared| table(compared) }, budgets:, notes:)
    end

    private

    # Reads all that it needs, so that the stores may go afterwards.
    def compare(folder)
      FileUtils.mkdir_p(folder)
      chosen.map { |part| compared(part, measurements(part, folder)) }
    end

    def chosen
      names = ENV.fetch(CHOSEN, "").split(",")
      parts = PARTS.to_h { |part| [part::NAME, part] }
      unknown = names - parts.keys
      raise Failure, "#{CHOSEN} has #{unknown.first}; there are #{parts.keys.join(", ")}" if unknown.any?
      names.empty? ? PARTS : parts.values_at(*names)
    end

    def measurements(part, folder)
      JobMeasurements.kept(folder, part::NAME) ||
        part.new(@phases, folder:, quick: @quick, progress: ->(what) { warn("bench: #{what}") }).call
          .keep(folder, part::NAME)
    end

    def compared(part, measurements)
      warn("bench: predicting #{part::NAME}")
      predictions = part::PREDICTIONS.new(measurements)
      ratios = part::UNITS.to_h { |units| [units, ratios(measurements, predictions, units)] }
      rows = measurements.measured.map do |measured|
        ComparedSetting.of(measured, ratios.fetch(measured.units)) do |ratio|
          predictions.call(measured.size, measured.units, **ratio)
        end
      end
      part::UNITS.each { |units| predictions.recommendation(units).self_test }
      ComparedPart.new(part:, measurements:, predictions:, rows:)
    end

    # By the boots of the recorded setting, before and after all others.
    def ratios(measurements, predictions, units)
      boots = measurements.recorded_setting(units)
      MachineRatios.of(SettingFigures.mean(boots.map(&:figures)), open: boots.first.rate.positive?) do |ratio|
        predictions.call(boots.first.size, units, **ratio)
      end
    end

    def table(compared)
      part = compared.part
      columns = ComparedSetting.columns("#{part::TITLE}: #{part::COUNT}", part::UNIT, waits: part::WAITS)
      rows = compared.rows.map do |row|
        units = row.measured.units
        row.cells(caught: compared.caught?(units), chance: compared.chance(units))
      end
      ResultTable.new(columns, rows)
    end

    def about
      "Jobs of the issue tracker (`benchmark/database_app/jobs`): #{JobDeck::ALL.size} classes of 50 to " \
      "240 queries each to a PostgreSQL behind TCP on the same machine, in Rails with YJIT. Each part is " \
      "recorded for #{@phases.recorded_s} s at its first setting, Puma for #{EmbeddedPart::LENGTH} times " \
      "as long; every setting has a boot of its own. #{backlogs} #{embedded} All times, and CPU, are " \
      "Holdup's own. Predictions come from each part's recording as in `holdup advise` and `holdup whatif`."
    end

    def backlogs
      "Where the jobs are all there from the start, #{@phases.saturated_s} s are measured, waits are " \
      "GVL waits and p95 is of the job's own time."
    end

    def embedded
      "Sidekiq in Puma: requests and jobs come on their own (Poisson), each at " \
      "#{percent(EmbeddedPart::SHARE)} of what the recorded setting serves of them alone, and times (with " \
      "the queue) are measured for #{EmbeddedPart::OPEN_LENGTH * @phases.open_s} s; throughput of either " \
      "is measured for #{EmbeddedPart::SATURATED_LENGTH * @phases.saturated_s} s while the other still " \
      "comes at that rate."
    end

    def notes
      ["The first and the last row are the recorded setting, booted again. Corrected: predicted for a " \
        "machine that is as much slower or faster as these two show, on average: in throughput, and where " \
        "units come on their own, in their mean response. Verdicts and budgets are about these errors. " \
        "Calibration: fixed work, timed once a second; it varies more than the jobs. Caught: the " \
        "self-test's grade was B or C. Chance: the first and the last row differ by more than the limit, " \
        "so that figure was measured for too short to judge predictions of it.",
        *@compared.flat_map { |compared| compared.units.map { |units| note(compared, units) } }]
    end

    def note(compared, units)
      recommendation = compared.predictions.recommendation(units)
      test = recommendation.self_test
      errors = test.errors.map { |name, error| format("%s %+.1f %%", name, error * 100) }.join(", ")
      "#{compared.part::TITLE}, #{units}: #{circumstances(compared, recommendation)}; " \
        "self-test: grade #{test.grade.upcase} (#{errors})#{reasons(test)}; problems: " \
        "#{list(recommendation.recording.problems + recommendation.recording.warnings.keys)}."
    end

    def circumstances(compared, recommendation)
      observed = recommendation.recording
      demand = observed.demand
      recording = compared.measurements.recording
      format("%d recorded, each with %.1f ms CPU, %.1f ms with the GVL, %.1f ms idle, %.0f acquisitions; " \
        "calibration %.1f ms; everything but the runner used %.2f CPUs, the replay has %.2f; hand-off %s us",
        observed.units, demand.cpu_ns / MS, demand.held_ns / MS, demand.idle_ns / MS, demand.acquisitions,
        recording.calibration_ns / MS, recording.beside, recommendation.self_test.vcpus,
        handoffs(recommendation.self_test.handoff_ns))
    end

    def handoffs(handoff_ns)
      Array(handoff_ns).values_at(0, -1).uniq.map { |ns| format("%.0f", ns / 1e3) }.join(" to ")
    end

    def reasons(test)
      (test.grade == :a) ? "" : ", because of #{list(test.reasons)}"
    end

    def list(names) = names.empty? ? "none" : names.join(", ")

    def budgets
      @compared.flat_map { |compared| compared.units.flat_map { |units| budgets_of(compared, units) } }
    end

    def budgets_of(compared, units)
      caught = compared.caught?(units)
      grade = " (self-test #{compared.self_test(units).grade.upcase})" if caught
      SettingComparison::LIMITS.map do |name, limit|
        errors = compared.of_units(units).filter_map { |row| row.corrected.errors[name]&.abs }
        what = ComparedSetting::NAMES.fetch(name)
        Budget.new("#{compared.part::TITLE}, #{units}: largest error of #{what}, corrected#{grade}",
          (limit * 100).round, errors.max.to_f * 100, "%")
      end
    end

    def percent(share) = format("%.0f %%", share * 100)
  end
end
