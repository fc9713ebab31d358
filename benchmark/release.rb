# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # One release and reacquire of the GVL: what every tool adds to every query, read and sleep of an
  # application.
  class Release
    ARMS = [["none", 1], ["empty hook", 1], ["least hook", 1], ["gvltools", 1],
      *[1, 5, 50].map { |open| ["gvl_timing", open] }, *[1, 5, 50].map { |open| ["holdup", open] }].freeze
    COLUMNS = ["", "ns, median (min..max)", "added", "added / gvltools' added"].freeze
    LIMIT = 0.5
    # Threads that all want it, all the time.
    CONTENDED = %w[none gvltools holdup].flat_map { |tool| [2, 5].map { |threads| [tool, threads] } }.freeze
    CONTENDED_COLUMNS = ["contended", "ns of CPU, median (min..max)", "added", "of none's",
      "of gvltools'"].freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @releases, @contended = quick ? [3, 100_000, 10_000] : [9, 300_000, 60_000]
    end

    # @return [Result]
    def call
      @samples = Rounds.call(ARMS, @rounds) { |tool, open| Fresh.call("release", tool, open, @releases) }
      @waits = Rounds.call(CONTENDED, @rounds) { |tool, threads|
        Fresh.call("release_contended", tool, threads, @contended)
      }
      tables = [ResultTable.new(COLUMNS, rows), ResultTable.new(CONTENDED_COLUMNS, contended_rows)]
      Result.new(title: "Release and reacquire of the GVL", about:, tables:, budgets:, notes:)
    end

    private

    def about
      "One thread gives the GVL up and takes it again, with nothing in between and no other thread wanting " \
      "it. #{@rounds} " \
        "rounds, each arm in a fresh process every round, in changing order. \"5 open\" are five threads " \
        "that each have a " \
        "timer or unit open, of which one works. In the second table all threads do nothing but give it up " \
        "and take it again, each with a timer or unit open, so that each waits for the others: CPU of the " \
        "process for one release, and the ratios round by round."
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

    def contended_rows
      CONTENDED.map do |tool, threads|
        taken = @waits[[tool, threads]]
        ratios = %w[none gvltools].map { |base| against(base, tool, threads).to_s(2) }
        added = Spread.paired(taken, @waits[["none", threads]]) { |with, bare| with - bare }
        ["#{tool}, #{threads} threads", Spread.of(taken).to_s, added.to_s, *ratios]
      end
    end

    # @return [Spread] ratios, round by round
    def against(base, tool, threads)
      Spread.paired(@waits[[tool, threads]], @waits[[base, threads]]) { |one, other| one / other }
    end

    def notes
      [format("\"empty hook\" is the floor: what Ruby itself does for a hook that does nothing is %.2f of " \
        "what gvltools adds. \"least hook\" finds the thread's state at each event, reads the clock at two " \
        "of three and asks Ruby once how the thread gives the GVL up: %.2f. Holdup adds %.0f ns to that.",
        ratio(["empty hook", 1]), ratio(["least hook", 1]),
        added(["holdup", 1]).median - added(["least hook", 1]).median)]
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
