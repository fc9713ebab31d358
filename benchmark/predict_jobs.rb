# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/recording_grades"

module Bench
  # Whether one recording of a Sidekiq tells what it does with other concurrencies.
  class PredictJobs
    CONCURRENCY = [1, 2, 5, 10, 20].freeze
    BASELINE = 5
    COLUMNS = ["threads", "jobs/s, measured", "predicted", "error, %", "formula's error, %",
      "Amdahl's error, %", "running, ms", "GVL held, %", "self-test", "verdict"].freeze
    LIMIT = 5.0
    # Jobs of a fixed time, whatever the machine does meanwhile, and jobs of a fixed amount of work, as the
    # lab's own are. `command`: of a Sidekiq that knows them; none: the lab's own
    Mix = Data.define(:name, :kinds, :command) do
      def self.all
        [exact, new(name: "work", kinds: Holdup::Lab::Jobs::JobSequence::OWN, command: [])]
      end

      def self.exact
        kinds = {"ExactMail" => [10, 4, 400, 5], "ExactSync" => [7, 6, 1_000, 2],
                 "ExactReport" => [3, 2, 8_000, 6]}
          .map { |name, (weight, *arguments)|
          Holdup::Lab::Jobs::Kind.new(name:, weight:, arguments:)
        }
        program = Holdup::Lab::Jobs::Program.own(jobs: File.expand_path("support/exact/jobs.rb", __dir__))
        new(name: "time", kinds:, command: program.command)
      end
    end

    # Keeps what the advice needs of each run of the recorded concurrency.
    class Recordings
      def initialize(threads)
        @threads = threads
        @runs = []
      end

      # See Holdup::Lab::Jobs: the measurement of one run.
      def commit(windows, _checkpoints, processes:, unit_samples:)
        return unless windows.first.setting["job_threads"] == @threads
        @runs << [windows, processes, unit_samples.flat_map(&:weighted)]
      end

      # @return [RecordingGrades]
      def grades
        RecordingGrades.new(@runs.map { |run| RecordingGrades.advice(*run) })
      end
    end

    # Short rounds and many: what the machine does changes within minutes, and a prediction is judged by the
    # recording next to it. But each needs 5 s within a minute of the clock for a self-test.
    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @seconds, @warm_up_s = quick ? [1, 7, 2] : [4, 12, 3]
    end

    # @return [Result]
    def call
      @recordings = Mix.all.to_h { |mix| [mix, Recordings.new(BASELINE)] }
      @results = @recordings.to_h { |mix, recordings| [mix, measure(mix, recordings)] }
      @grades = @recordings.transform_values(&:grades)
      Result.new(title: "Sidekiq at other concurrencies, predicted", about:, tables:, budgets:, notes:)
    end

    private

    def measure(mix, recordings)
      warn("bench: jobs of a fixed #{mix.name}")
      plan = Holdup::Lab::Jobs::JobsPlan.new(
        command: mix.command,
        kinds: mix.kinds,
        concurrency: CONCURRENCY,
        baseline: BASELINE,
        rounds: @rounds,
        seconds: @seconds,
        warm_up_s: @warm_up_s,
        again: false
      )
      result = Fresh.scratch { |scratch|
        Holdup::Lab::Jobs.new(
          Holdup::Lab::Jobs::JobLog.new(File.join(scratch, "jobs.json"), plan),
          env: ENV.to_h,
          store: recordings,
          progress: method(:progress)
        ).call
      }
      raise Interrupt if result.signal
      result
    end

    def progress(number, of, doing, arm:, **)
      warn("bench: run #{number} of #{of}: #{arm.name}") if doing == :boot
    end

    def tables
      @results.map { |mix, result|
        ResultTable.new(["jobs of a fixed #{mix.name}: #{COLUMNS.first}", *COLUMNS.drop(1)],
          result.lines.map { |line| row(line, @grades.fetch(mix)) })
      }
    end

    def row(line, grades)
      [
        line.threads.to_s + ((line.threads == BASELINE) ? ", recorded" : ""),
        Spread.of(line.readings.map(&:throughput)).to_s(1),
        format("%.1f", line.predicted),
        *%i[replay closed amdahl].map { |way| percent(line.errors(way)) },
        Spread.of(line.readings.map { |reading| reading.mean(:running) / 1e6 }).to_s(2),
        format("%.0f", line.median(&:gvl_share) * 100),
        grades.to_s,
        grades.verdict_of_throughput(line.error * 100, LIMIT)
      ]
    end

    def percent(errors)
      Spread.of(errors.values.map { |error| error * 100 }).to_s(1)
    end

    def about
      "A real Sidekiq process on a Redis of its own, with jobs of three classes (they compute, ask Redis " \
      "and wait, in unlike parts) and a queue that is never " \
        "empty. #{@rounds} rounds of #{@seconds} s for each concurrency; what is predicted comes from " \
        "the run with #{BASELINE} threads of the same round alone, and errors are " \
        "taken round by round. The row of the recording itself replays it. First the jobs compute " \
        "for a fixed CPU time (`benchmark/support/exact.rb`), then they do a fixed amount of work."
    end

    def notes
      [
        "A prediction takes it that a job costs at 20 threads what it costs at 5. Where \"running\" " \
        "differs between the rows of the fixed amount of work, the machine computed faster or slower, " \
        "and no prediction knows that.",
        "The formula is the closed model, which needs only means; Amdahl's law is its lower bound.",
        "Self-test: its grade and reasons in `holdup advise`, for the recordings of the rounds. Caught: it " \
        "was not A for most of them, so the advice itself says that it may be wrong.",
        *@grades.map { |mix, grades|
          "Self-tests, jobs of a fixed #{mix.name}, medians of the rounds: #{grades.errors}."
        }
      ]
    end

    def budgets
      @results.map { |mix, result|
        Budget.new("Largest error of the four, median of the rounds, jobs of a fixed #{mix.name}", LIMIT,
          result.worst * 100, "%")
      }
    end
  end
end
