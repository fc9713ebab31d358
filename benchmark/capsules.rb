# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/capsules/run"

module Bench
  # Whether one recording of a Sidekiq with two capsules tells what both get done, also when one of them is
  # widened.
  class Capsules
    # Threads of the light capsule and of the heavy one, the recorded setting first.
    SETTINGS = [[3, 2], [10, 2], [3, 6], [1, 1]].freeze
    COLUMNS = ["light + heavy", "capsule", "jobs/s, measured", "replayed, error, %", "its self-test",
      "predicted", "error, %", "self-test of the first", "verdict"].freeze
    # One capsule in one round. Jobs per second: as measured, replayed as recorded there, and predicted from
    # the first setting; `own`, `first`: what the self-test says of these two recordings.
    CapsuleFigures = Data.define(:measured, :replayed, :predicted, :own, :first) do
      # @param which [Symbol] :replayed or :predicted
      # @return [Float] %
      def error(which)
        100 * (public_send(which) / measured - 1)
      end
    end
    LIMIT = 5.0

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @seconds, @warm_up_s = quick ? [1, 7, 2] : [7, 12, 3]
    end

    # @return [Result]
    def call
      rounds = Holdup::Lab::Redis.run(path: ENV.fetch("PATH")) do |redis|
        Array.new(@rounds) { |number| round(number, redis) }
      end
      @lines = SETTINGS.product(%w[light heavy]).zip(rounds.transpose)
      Result.new(
        title: "Sidekiq with two capsules, predicted",
        about:,
        tables: [ResultTable.new(COLUMNS, @lines.map { |(threads, name), found| row(threads, name, found) })],
        budgets:
      )
    end

    private

    # @return [Array<CapsuleFigures>] of each setting and capsule
    def round(number, redis)
      recorded = nil
      SETTINGS.flat_map do |threads|
        warn "bench: round #{number + 1} of #{@rounds}: #{threads.join(" + ")} threads"
        run = TwoCapsules::Run.new(threads, redis:).call(seconds: @seconds, warm_up_s: @warm_up_s)
        recorded ||= run
        figures = run.measured.zip(run.predicted(threads), recorded.predicted(threads))
        figures.map do |measured, replayed, predicted|
          CapsuleFigures.new(measured:, replayed:, predicted:, own: run.advice, first: recorded.advice)
        end
      end
    end

    def row(threads, name, rounds)
      own, first = %i[own first].map { |which| RecordingGrades.new(rounds.map(&which)) }
      predicted = errors(rounds, :predicted)
      [
        "#{threads.join(" + ")}#{", recorded" if threads == SETTINGS.first}",
        name,
        Spread.of(rounds.map(&:measured)).to_s(1),
        errors(rounds, :replayed).to_s(1),
        own.to_s,
        format("%.1f", Spread.of(rounds.map(&:predicted)).median),
        predicted.to_s(1),
        first.to_s,
        first.verdict_of_throughput(predicted.median, LIMIT)
      ]
    end

    # @param which [Symbol] see CapsuleFigures
    def errors(rounds, which)
      Spread.of(rounds.map { |figures| figures.error(which) })
    end

    def about
      "A real Sidekiq process on a Redis of its own: one capsule for jobs that mostly wait, one for jobs " \
      "that mostly compute, both with a queue that is never empty. " \
        "#{@rounds} rounds of #{@seconds} s for each setting; what is predicted comes from the first run " \
        "of the same round alone, and errors are taken round by round. Replayed: the run's own jobs on " \
        "its own setting. Self-test: its grade and reasons in `holdup advise`, for the runs of all rounds. " \
        "Caught: it was not A for most of the first runs, so the advice itself says that it may be wrong."
    end

    def budgets
      {"Largest error of a replay of the same setting" => :replayed,
       "Largest error of the three predicted settings" => :predicted}.map do |what, which|
        Budget.new("#{what}, median of the rounds", LIMIT,
          @lines.map { |_, rounds| errors(rounds, which).median.abs }.max, "%")
      end
    end
  end
end
