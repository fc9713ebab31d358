# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # One release and reacquire of the GVL: what every tool adds to every query, read and sleep of an
  # application.
  class Release
    ARMS = [["none", 1], ["empty hook", 1], ["gvltools", 1], *[1, 5, 50].map { |open| ["gvl_timing", open] },
      *[1, 5, 50].map { |open| ["holdup", open] }].freeze
    COLUMNS = ["", "ns, median (min..max)", "added", "added / gvltools' added"].freeze
    LIMIT = 0.5

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @releases = quick ? [3, 100_000] : [9, 300_000]
    end

    # @return [Result]
    def call
      @samples = Rounds.call(ARMS, @rounds) { |tool, open| Fresh.call("release", tool, open, @releases) }
      Result.new(title: "Release and reacquire of the GVL", about:, tables: [ResultTable.new(COLUMNS, rows)],
        budgets:, notes:)
    end

    private

    def about
      "One thread gives the GVL up and takes it again, with nothing in between and no other thread wanting " \
      "it. #{@rounds} " \
        "rounds, each arm in a fresh process every round, in changing order. \"5 open\" are five threads " \
        "that each have a " \
        "timer or unit open, of which one works."
    end

    def rows
      ARMS.map { |arm| row(arm) }
    end

    def row(arm)
      tool, open = arm
      name = %w[gvl_timing holdup].include?(tool) ? "#{tool}, #{open} open" : tool
      [name, Spread.of(@samples[arm]).to_s, added(arm).to_s,
        (arm == ARMS[0]) ? "" : format("%.2f", ratio(arm))]
    end

    def notes
      [format("\"empty hook\" is the floor: what Ruby itself does for a hook that does nothing is %.2f of " \
        "what gvltools adds. Holdup's three events add %.0f ns to that, with a clock read each.",
        ratio(["empty hook", 1]),
        added(["holdup", 1]).median - added(["empty hook", 1]).median)]
    end

    # Round by round over bare.
    def added(arm)
      Spread.paired(@samples[arm], @samples[ARMS[0]]) { |with, bare| with - bare }
    end

    def ratio(arm)
      added(arm).median / added(["gvltools", 1]).median
    end

    def budgets
      [1, 5, 50].map do |open|
        Budget.new("Holdup with #{open} open, added over gvltools' added", LIMIT, ratio(["holdup", open]),
          "x")
      end
    end
  end
end
