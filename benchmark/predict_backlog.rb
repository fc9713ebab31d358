# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/backlog/drained_run"

module Bench
  # Whether one recording of a Sidekiq tells when a backlog in strictly ordered queues is done with other
  # concurrencies and two processes, and how long the jobs of each queue wait.
  class PredictBacklog
    # Processes, and threads of each.
    BASELINE = [1, 5].freeze
    SETTINGS = [[1, 1], [1, 2], BASELINE, [1, 10], [2, 2], [2, 5]].freeze
    # steps, microseconds of CPU time and milliseconds of waiting in each step; share of the whole
    KINDS = [["mail", "ExactMail", [10, 200, 8], 300], ["report", "ExactReport", [2, 20_000, 1], 400],
      ["sync", "ExactSync", [6, 2_000, 3], 600]].freeze
    COLUMNS = ["processes x threads", "done in, s, measured", "predicted, s", "error, %",
      "begin of mail, report, sync, s", "predicted, s", "fixed work against the recording's",
      "GVL held against CPU"].freeze
    LIMIT = 10.0
    # One run in one round, with what the recording of that round predicts of it: seconds.
    DrainedFigures = Data.define(:measured, :predicted, :waits, :predicted_waits, :speed,
      :held_per_cpu) do
      # @return [Float] %
      def error = 100 * (predicted / measured - 1)
    end

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, share = quick ? [1, 0.1] : [5, 1.0]
      @jobs = KINDS.map do |queue, job, arguments, count|
        Backlog::FilledQueue.new(queue:, job:, arguments:, count: (count * share).round)
      end
    end

    # @return [Result]
    def call
      rounds = Holdup::Lab::Redis.run(path: ENV.fetch("PATH")) do |redis|
        Array.new(@rounds) { |number| round(number, redis) }
      end
      @lines = SETTINGS.to_h { |setting| [setting, rounds.map { |found| found.fetch(setting) }] }
      Result.new(title: "A backlog of Sidekiq in ordered queues, predicted", about:,
        tables: [ResultTable.new(COLUMNS, @lines.map { |setting, found| row(setting, found) })], budgets:)
    end

    private

    # The settings in another order in each round.
    # @return [Hash{Array<Integer> => DrainedFigures}] by setting
    def round(number, redis)
      runs = SETTINGS.rotate(number).map do |setting|
        warn "bench: round #{number + 1} of #{@rounds}: #{setting.join(" x ")}"
        Backlog::DrainedRun.new(*setting, redis:, jobs: @jobs).call
      end
      recorded = runs.find { |run| run.setting == BASELINE }
      completion = recorded.completion
      runs.to_h { |run| [run.setting, figures(run, recorded, completion)] }
    end

    def figures(run, recorded, completion)
      processes, threads = run.setting
      now = Holdup::Advise::Sizing::Candidate.new(processes:, threads:,
        time_slice_ns: completion.now.time_slice_ns)
      time = completion.time(now)
      waits = time.queues.to_h { |queue| [queue.name, queue.mean_ns.fdiv(Holdup::NS)] }
      DrainedFigures.new(measured: run.seconds, predicted: time.done_ns.fdiv(Holdup::NS), waits: run.waits,
        predicted_waits: waits, speed: run.work_ns / recorded.work_ns, held_per_cpu: run.held_per_cpu)
    end

    def row(setting, rounds)
      [
        "#{setting.join(" x ")}#{", recorded" if setting == BASELINE}",
        Spread.of(rounds.map(&:measured)).to_s(1),
        Spread.of(rounds.map(&:predicted)).to_s(1),
        Spread.of(rounds.map(&:error)).to_s(1),
        begins(rounds, :waits),
        begins(rounds, :predicted_waits),
        Spread.of(rounds.map(&:speed)).to_s(2),
        Spread.of(rounds.map(&:held_per_cpu)).to_s(2)
      ]
    end

    # @param which [Symbol] see DrainedFigures
    def begins(rounds, which)
      medians = KINDS.map do |queue, *|
        Spread.of(rounds.map { |figures| figures.public_send(which).fetch(queue) }).median
      end
      medians.map { |seconds| format("%.1f", seconds) }.join(", ")
    end

    def about
      "A real Sidekiq (one process or two) on a Redis of its own gets #{@jobs.sum(&:count)} jobs in three " \
      "strictly ordered queues: first mail, which waits nearly all its time, then report, which computes, " \
      "then sync, which does both. CPU times and waits are fixed (`benchmark/support/exact.rb`). " \
      "#{@rounds} rounds, the settings in another order in each; what is predicted comes from the run " \
      "at #{BASELINE.join(" x ")} of the same round alone, and errors are taken round by round. Begin: " \
      "when the jobs of a queue began, on average. Fixed work: how long a fixed piece of work took " \
      "during the run, against the recorded run. GVL held against CPU: above 1.1, other processes took " \
      "the CPUs, and the prediction is one of free CPUs."
    end

    def budgets
      worst = @lines.values.map { |rounds| Spread.of(rounds.map(&:error)).median.abs }.max
      [Budget.new("Largest error of the time to done, median of the rounds", LIMIT, worst, "%")]
    end
  end
end
