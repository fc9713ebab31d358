# frozen_string_literal: true

require_relative "../test/support/served_app"
require_relative "support/bench"

module Bench
  # How long a Puma takes to stop, and how often it does not. Its stop can hang by itself (docs/guide/puma.md,
  # known trouble), so only a comparison can tell whether Holdup makes that more likely.
  class Shutdown
    ARMS = ["none", "none again", "holdup"].freeze
    # What is stopped => number of workers
    SHAPES = {"A single Puma" => "0", "A cluster of two" => "2"}.freeze
    WITHOUT = {"WITHOUT_HOLDUP" => "1"}.freeze
    # After its first answer it is stopped within that, so that the signal meets all that a young server does.
    WITHIN_S = 1.0
    ANSWERS = 3
    SEED = 1
    COLUMNS = ["", "seconds, median (min..max)", "hung"].freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds = quick ? 2 : 60
      @random = Random.new(SEED)
    end

    # @return [Result]
    def call
      tables = SHAPES.map { |name, workers|
        table(name, Rounds.call(ARMS, @rounds) { |arm| stop(arm, workers) })
      }
      Result.new(title: "The stop of a server", about:, tables:, notes:)
    end

    private

    # @return [Float, nil] seconds; nil: it hung
    def stop(arm, workers)
      ServedApp.new("bundle", "exec", "puma", "-C", "puma.rb", app: "plain",
        env: {**ServedApp::LONG_SHUTDOWN, "WORKERS" => workers, **((arm == "holdup") ? {} : WITHOUT)})
        .run { |app| timed_stop(app) }
    rescue ServedApp::Stuck
      nil
    end

    def timed_stop(app)
      ANSWERS.times { app.get("/orders") }
      sleep(@random.rand(WITHIN_S))
      begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      app.stop
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun
    end

    def table(name, samples)
      ResultTable.new([name, *COLUMNS.drop(1)], samples.map { |arm, stops| row(arm, stops) })
    end

    def row(arm, stops)
      ended = stops.compact
      [arm, ended.empty? ? "" : Spread.of(ended).to_s(2), "#{stops.size - ended.size} of #{stops.size}"]
    end

    def about
      "A plain Rack application with preloading answers a few requests and gets TERM within #{WITHIN_S} " \
      "s; #{@rounds} servers of each arm, " \
        "in changing order. One that is there after #{ServedApp::STOP_SECONDS} s counts as hung."
    end

    def notes
      ["\"none again\" is the same as \"none\": what lies between these two is chance."]
    end
  end
end
