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
    COLUMNS = ["light + heavy", "capsule", "jobs/s, measured", "replayed, error, %", "predicted",
      "error, %"].freeze
    LIMIT = 5.0

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @seconds, @warm_up_s = quick ? [1, 4, 2] : [7, 8, 3]
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

    # @return [Array<(Float, Float, Float)>] of each setting and capsule, jobs per second: measured, replayed
    #   as recorded there, and predicted from the first
    def round(number, redis)
      recorded = nil
      SETTINGS.flat_map do |threads|
        warn "bench: round #{number + 1} of #{@rounds}: #{threads.join(" + ")} threads"
        run = TwoCapsules::Run.new(threads, redis:).call(seconds: @seconds, warm_up_s: @warm_up_s)
        recorded ||= run
        run.measured.zip(run.predicted(threads), recorded.predicted(threads))
      end
    end

    def row(threads, name, rounds)
      [
        "#{threads.join(" + ")}#{", recorded" if threads == SETTINGS.first}",
        name,
        Spread.of(rounds.map(&:first)).to_s(1),
        errors(rounds, 1).to_s(1),
        format("%.1f", Spread.of(rounds.map(&:last)).median),
        errors(rounds, 2).to_s(1)
      ]
    end

    # @param which [Integer] 1: replayed as recorded there, 2: predicted from the first setting
    def errors(rounds, which)
      Spread.of(rounds.map { |figures| 100 * (figures[which] / figures[0] - 1) })
    end

    def about
      "A real Sidekiq process on a Redis of its own: one capsule for jobs that mostly wait, one for jobs " \
      "that mostly compute, both with a queue that is never empty. " \
        "#{@rounds} rounds of #{@seconds} s for each setting; what is predicted comes from the first run " \
        "of the same round alone, and errors are taken round by round. Replayed: the run's own jobs on " \
        "its own setting, the self-test."
    end

    def budgets
      {"Largest error of a replay of the same setting" => 1,
       "Largest error of the three predicted settings" => 2}.map do |what, which|
        Budget.new("#{what}, median of the rounds", LIMIT,
          @lines.map { |_, rounds| errors(rounds, which).median.abs }.max, "%")
      end
    end
  end
end
