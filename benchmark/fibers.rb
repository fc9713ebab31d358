# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # One switch of fibers: what each wait of a request costs where requests are fibers (Async, Falcon).
  # Elsewhere the probe does not learn of switches at all.
  class Fibers
    # What is open around the two fibers that take turns => what the row is called.
    ARMS = {"bare" => "none", "idle" => "holdup, no unit open", "within" => "holdup, both in the same unit",
            "between" => "holdup, of two units"}.freeze
    COLUMNS = ["", "ns, median (min..max)", "added"].freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @switches = quick ? [3, 100_000] : [9, 300_000]
    end

    # @return [Result]
    def call
      @samples = Rounds.call(ARMS.keys, @rounds) { |arm| Fresh.call("fibers", arm, @switches) }
      Result.new(title: "A switch of fibers", about:, tables: [ResultTable.new(COLUMNS, rows)])
    end

    private

    def about
      "Two fibers of one thread resume each other, with nothing in between; #{@rounds} rounds, each arm " \
      "in a fresh process " \
        "every round, in changing order. Between fibers of two units the turn of one ends and that of " \
        "the other begins."
    end

    def rows
      ARMS.map { |arm, name| [name, Spread.of(@samples[arm]).to_s, (arm == "bare") ? "" : added(arm).to_s] }
    end

    # Round by round over bare.
    def added(arm)
      Spread.paired(@samples[arm], @samples["bare"]) { |with, bare| with - bare }
    end
  end
end
