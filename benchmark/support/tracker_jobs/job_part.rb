# frozen_string_literal: true

require "fileutils"
require_relative "../tracker/calibration"
require_relative "job_measurements"
require_relative "job_runner"

module Bench
  # One part of predict-database-jobs: a job runner that is recorded at one setting and measured at others.
  # Each setting is a boot of its own.
  #
  # Constants of a part: NAME, TITLE, SETTINGS (the recorded one first) and what their numbers COUNT; UNITS,
  # names of what is measured at each, UNIT, one of them, and what WAITS are; PREDICTIONS, the class.
  # Methods: `prepared` and `booted`, which yield; `measure`, `warm_up`, `serve` and `recorded_rates`.
  class JobPart
    MINUTE_S = 60
    # Of its recording, against Phases#recorded_s.
    LENGTH = 1

    # Seconds of each phase. `whole_minutes`: whether recordings begin with a minute, so that no window of the
    # store mixes them with the warm-up
    Phases = Data.define(:warm_up_s, :saturated_s, :open_s, :recorded_s, :whole_minutes) do
      # @return [Numeric] that a boot takes at most
      def longest_s = [warm_up_s + MINUTE_S + recorded_s, warm_up_s + 2 * saturated_s + open_s].max + MINUTE_S
    end

    # @param phases [Phases]
    # @param folder [String] for the store
    # @param quick [Boolean] only the recorded setting and the last
    # @param progress [#call] receives what comes next
    def initialize(phases, folder:, quick:, progress:)
      @phases = phases
      @folder = folder
      @settings = quick ? self.class::SETTINGS.values_at(0, -1) : self.class::SETTINGS
      @progress = progress
    end

    # @return [JobMeasurements]
    # @raise [Failure]
    def call
      Fresh.scratch do |scratch|
        @scratch = scratch
        prepared do |app|
          @app = app
          Calibration.run(app.folder) { |calibration| measurements(calibration) }
        end
      end
    end

    private

    # The recorded setting's own row may give the rate of everything else. It is booted again at the end, so
    # that the machine's speed is known.
    def measurements(calibration)
      @calibration = calibration
      first, *others = @settings
      measured = measured(first)
      recording = record(first)
      measured.concat([*others, first].flat_map { |size| measured(size) })
      JobMeasurements.new(recording:, rates: recorded_rates, measured:)
    end

    # @return [Array<MeasuredUnits>]
    def measured(size)
      @progress.call("#{self.class::NAME}: #{size.join(" + ")}")
      boot(size) { |runner, segments| measure(size, runner, Holdup::Lab::InMemoryStore.new(segments)) }
    end

    # @return [TrackerTrial::TrackerRecording]
    def record(size)
      @progress.call("#{self.class::NAME}: recording")
      store = File.join(@folder, "#{self.class::NAME}.sqlite3")
      phase = boot(size, store:) do |runner|
        warm_up(runner, until_s: first_s)
        TrackerTrial::LoadPhase.of(runner) { serve(runner, self.class::LENGTH * @phases.recorded_s) }
      end
      recording(store, phase)
    end

    def recording(store, phase)
      whole = @phases.whole_minutes
      from_s = whole ? phase.span.begin.floor / MINUTE_S * MINUTE_S : 0
      to_s = whole ? phase.span.end.floor : phase.span.end.ceil
      TrackerTrial::TrackerRecording.new(name: self.class::NAME, store:, from_s:, to_s:, cpu_ns: nil,
        calibration_ns: @calibration.median_ns(phase.span), beside: phase.beside)
    end

    def first_s
      soonest_s = now_s + @phases.warm_up_s
      @phases.whole_minutes ? (soonest_s / MINUTE_S).ceil * MINUTE_S : soonest_s
    end

    def boot(size, store: nil)
      Dir.mktmpdir("segments", @scratch) do |segments|
        booted(size, segments:, store:) { |runner| yield runner, segments }
      end
    end

    # @return [(TrackerTrial::LoadPhase, SeenUnits)]
    def seen(runner, intake, &)
      intake.clear
      phase = TrackerTrial::LoadPhase.of(runner, &)
      intake.close
      SeenUnits.new(intake.unit_samples, phase)
    end

    # Waits, while jobs run.
    def pass(seconds)
      IO.select(nil, nil, nil, seconds) if seconds.positive?
    end

    def now_s = Process.clock_gettime(Process::CLOCK_REALTIME)
  end

  # A part whose jobs wait in full queues from the start: its threads always have work.
  class BacklogPart < JobPart
    # More than two CPUs can do.
    JOBS_PER_SECOND = 60

    private

    def measure(size, runner, intake)
      pass(@phases.warm_up_s)
      all = seen(runner, intake) { pass(@phases.saturated_s) }
      check_backlog
      self.class::UNITS.map { |units| measured_units(size, units, all.only { |job| units_of(job) == units }) }
    end

    def measured_units(size, units, jobs)
      cost = jobs.cost(@calibration)
      figures = SettingFigures.new(throughput: jobs.throughput, **jobs.times(queued: false))
      MeasuredUnits.new(size:, units:, rate: 0.0, figures:, saturated: cost, open: cost)
    end

    def warm_up(_runner, until_s:)
      pass(until_s - now_s)
    end

    def serve(_runner, seconds)
      pass(seconds)
      check_backlog
    end

    # Jobs that were there from the start have no rate.
    def recorded_rates = {}

    def units_of(_job) = self.class::UNITS.first

    def check_backlog = nil

    def backlog = (JOBS_PER_SECOND * @phases.longest_s).ceil
  end
end
