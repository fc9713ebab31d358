# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/recording_grades"
require_relative "support/active_job/runner"
require_relative "support/tracker/calibration"

module Bench
  # Whether one recording of Solid Queue or GoodJob tells what it does with other numbers of threads.
  class PredictActiveJob
    RUNNERS = {"solid_queue" => "Solid Queue", "good_job" => "GoodJob"}.freeze
    CHOSEN = "BENCH_PARTS"
    BASELINE = 5
    # The recorded number comes twice: two processes of one setting differ, too.
    THREADS = [BASELINE, BASELINE, 1, 2, 10, 20].freeze
    LIMIT = 8.0
    COLUMNS = ["jobs/s, measured", "predicted", "error, %", "formula's error, %", "running, ms",
      "GVL held, %", "fixed work against the recording's", "self-test", "verdict"].freeze
    # One process in one round, with what the recorded one of that round predicts of it: jobs per second.
    # `outcome`: Holdup::Lab::Jobs::JobOutcome, `speed`: fixed work against that of the recorded turn
    TurnFigures = Data.define(:runner, :outcome, :predicted, :formula, :speed, :advice) do
      # @return [Float] %
      def error(which = :predicted)
        100 * (public_send(which) / outcome.throughput - 1)
      end
    end

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @threads = quick ? THREADS.values_at(0, 2, 4) : THREADS
      @rounds, @seconds, @warm_up_s = quick ? [1, 5, 1] : [4, 8, 2]
      @names = ENV.fetch(CHOSEN, RUNNERS.keys.join(",")).split(",")
      unknown = @names - RUNNERS.keys
      raise Failure, "#{CHOSEN} has #{unknown.first}; there are #{RUNNERS.keys.join(", ")}" if unknown.any?
      @found = {}
      @failures = []
    end

    # A runner that fails does not lose the other.
    # @yieldparam result [Result] with the runners so far
    # @return [Result]
    # @raise [Failure] none could be measured
    def call
      @names.each do |name|
        @found[name] = measured(name)
        yield result if block_given?
      rescue Holdup::Error, Failure => error
        @failures << "#{RUNNERS.fetch(name)} could not be measured: #{Bench.failure_line(error)}"
        warn("bench: #{@failures.last}")
      end
      raise Failure, @failures.join("; ") if @found.empty?
      result
    end

    private

    def result
      Result.new(title: "Solid Queue and GoodJob at other numbers of threads, predicted", about:,
        tables: @found.map { |name, rounds| table(name, rounds) }, budgets:, notes: [*notes, *@failures])
    end

    # @return [Array<Array<TurnFigures>>] by process, of each round
    def measured(name)
      Fresh.scratch do |scratch|
        Calibration.run(scratch) do |calibration|
          JobTables.open(name) do |tables|
            runners = @threads.map do |threads|
              folders = %i[folder segments].to_h { |which| [which, Dir.mktmpdir(which.to_s, scratch)] }
              TableJobRunner.new(threads, tables, folders)
            end
            Array.new(@rounds) { |number| round(name, number, runners, calibration) }.transpose
          ensure
            runners&.each(&:stop)
          end
        end
      end
    end

    # The processes in another order in each round.
    # @return [Array<TurnFigures>] of each process
    def round(name, number, runners, calibration)
      turns = Rounds.order(runners, number).to_h do |runner|
        warn "bench: #{name}: round #{number + 1} of #{@rounds}: #{runner.threads} threads"
        from_s = Time.now.to_f
        outcome = runner.turn(warm_up_s: @warm_up_s, seconds: @seconds)
        [runner, [outcome, calibration.median_ns(from_s..(Time.now.to_f + 1))]]
      end
      recorded, work_ns = turns.fetch(runners.first)
      forecast = Holdup::Lab::Jobs::JobOutcome::JobForecast.new(recorded)
      advice = runners.first.advice
      runners.map do |runner|
        outcome, own_ns = turns.fetch(runner)
        TurnFigures.new(runner:, outcome:, predicted: forecast.replay(runner.threads),
          formula: forecast.closed(runner.threads), speed: own_ns / work_ns, advice:)
      end
    end

    def table(name, rows)
      ResultTable.new(["#{RUNNERS.fetch(name)}: threads", *COLUMNS],
        rows.each_with_index.sort_by { |same, index| [same.first.runner.threads, index] }
          .map { |same, index| row(same, index) })
    end

    def row(same, index)
      errors = Spread.of(same.map(&:error))
      grades = RecordingGrades.new(same.map(&:advice))
      [
        label(same.first.runner.threads, index),
        Spread.of(same.map { |figures| figures.outcome.throughput }).to_s(1),
        format("%.1f", Spread.of(same.map(&:predicted)).median),
        errors.to_s(1),
        Spread.of(same.map { |figures| figures.error(:formula) }).to_s(1),
        Spread.of(same.map { |figures| figures.outcome.mean(:running) / 1e6 }).to_s(2),
        format("%.0f", Spread.of(same.map { |figures| figures.outcome.gvl_share }).median * 100),
        Spread.of(same.map(&:speed)).to_s(2),
        grades.to_s,
        grades.verdict_of_throughput(errors.median, LIMIT)
      ]
    end

    def label(threads, index)
      return "#{threads}, recorded" if index.zero?
      (threads == BASELINE) ? "#{threads}, another process" : threads.to_s
    end

    def about
      "Jobs of three classes through Active Job, in a process of the runner and its tables in a PostgreSQL " \
      "on the same machine. They compute for a fixed CPU time, ask the database and wait, in unlike parts " \
      "(`benchmark/support/active_job/jobs.rb`), and the queue is never empty. All processes run from the " \
      "start, and work in turns of #{@seconds} s, in another order in each of #{@rounds} rounds. What is " \
      "predicted comes from the recorded process's turn of the same round alone, and errors are taken " \
      "round by round. Fixed work: how long it took meanwhile, against the recorded turn."
    end

    def notes
      @found.filter_map do |name, rows|
        first, second = rows.select { |same| same.first.runner.threads == BASELINE }
        next unless second
        rates = [first, second].map { |same| same.map { |figures| figures.outcome.throughput } }
        apart = Spread.of(rates.transpose.map { |one, other| 100 * (other / one - 1) })
        "#{RUNNERS.fetch(name)}: two processes with #{BASELINE} threads were #{apart.to_s(1)} % apart."
      end
    end

    def budgets
      @found.map do |name, rows|
        others = rows.reject { |same| same.first.runner.threads == BASELINE }
        Budget.new("#{RUNNERS.fetch(name)}: largest error of other numbers of threads, median of the rounds",
          LIMIT, others.map { |same| Spread.of(same.map(&:error)).median.abs }.max, "%")
      end
    end
  end
end
