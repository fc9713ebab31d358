# frozen_string_literal: true

require "holdup/lab/jobs"
require_relative "support/bench"

module Bench
  # Whether one recording of a Sidekiq tells what it does with other concurrencies.
  class PredictJobs
    CONCURRENCY = [1, 2, 5, 10, 20].freeze
    BASELINE = 5
    COLUMNS = ["threads", "jobs/s, measured", "predicted", "error, %", "formula's error, %", "Amdahl's error, %", "running, ms", "GVL held, %"].freeze
    LIMIT = 5.0

    # Short rounds and many: what the machine does changes within minutes, and a prediction is judged by the recording next to it.
    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @seconds, @warm_up_s = quick ? [1, 4, 2] : [9, 8, 3]
    end

    # @return [Result]
    def call
      plan = Holdup::Lab::Jobs::Plan.new(concurrency: CONCURRENCY, baseline: BASELINE, rounds: @rounds, seconds: @seconds, warm_up_s: @warm_up_s, again: false)
      @result = Fresh.scratch { |scratch| Holdup::Lab::Jobs.new(Holdup::Lab::Jobs::Ledger.new(File.join(scratch, "jobs.json"), plan), env: ENV.to_h, progress: method(:progress)).call }
      raise Interrupt if @result.signal
      Result.new(title: "Sidekiq at other concurrencies, predicted", about:, tables: [Table.new(COLUMNS, @result.lines.map { |line| row(line) })], budgets:, notes:)
    end

    private

    def progress(number, of, doing, arm:, **) = (warn("bench: run #{number} of #{of}: #{arm.name}") if doing == :boot)

    def row(line)
      [line.threads.to_s + ((line.threads == BASELINE) ? ", recorded" : ""), Spread.of(line.readings.map(&:throughput)).to_s(1), format("%.1f", line.predicted),
        *%i[replay closed amdahl].map { |way| percent(line.errors(way)) }, Spread.of(line.readings.map { |reading| reading.mean(:running) / 1e6 }).to_s(2),
        format("%.0f", line.median(&:gvl_share) * 100)]
    end

    def percent(errors) = Spread.of(errors.values.map { |error| error * 100 }).to_s(1)

    def about
      "A real Sidekiq process on a Redis of its own, with jobs of three classes (they compute, ask Redis and wait, in unlike parts) and a queue that is never " \
        "empty. #{@rounds} rounds of #{@seconds} s for each concurrency; what is predicted comes from the run with #{BASELINE} threads of the same round alone, and errors are " \
        "taken round by round. The row of the recording itself is the self-test."
    end

    def notes
      ["The work of a job is fixed. Where \"running\" differs between rows, the machine computed faster or slower, and no prediction knows that.",
        "The formula is the closed model, which needs only means; Amdahl's law is its lower bound."]
    end

    def budgets = [Budget.new("Largest error of the four, median of the rounds", LIMIT, @result.worst * 100, "%")]
  end
end
