# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # What it costs to know which method keeps the others waiting, while one always does.
  class Holds
    ARMS = %w[none sampled].freeze
    COLUMNS = ["", "CPU, ms, median (min..max)", "added", "samples a second", "CPU of sampling itself"].freeze
    # Of a core: CPU of sampling over the elapsed time.
    LIMIT = 0.5

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @turns = quick ? [3, 10] : [9, 60]
    end

    # @return [Result]
    def call
      @samples = Rounds.call(ARMS, @rounds) { |arm| Fresh.call("holds", arm, @turns, options: []) }
      Result.new(title: "Samples of long holds", about:, tables: [ResultTable.new(COLUMNS, rows)], budgets:)
    end

    private

    def about
      "Four threads wait for one that holds the GVL #{@turns} times for some 40 ms, under 60 frames. " \
        "#{@rounds} rounds, each arm in a fresh process every round, in changing order. The last column " \
        "is measured inside: the watching thread and the stacks, over the elapsed time."
    end

    def rows
      ARMS.map do |arm|
        sampled = arm == "sampled"
        [sampled ? "sampled" : "not sampled", Spread.of(cpu(arm)).to_s, sampled ? added.to_s : "",
          format("%.0f", Spread.of(rates(arm)).median), sampled ? format("%.2f %%", own) : ""]
      end
    end

    def cpu(arm) = @samples[arm].map { |sample| sample["cpu"] / 1e6 }

    def added
      Spread.paired(cpu("sampled"), cpu("none")) { |with, bare| with - bare }
    end

    def rates(arm) = @samples[arm].map { |sample| sample["taken"] * 1e9 / sample["elapsed"] }

    def own
      Spread.of(@samples["sampled"].map { |sample| 100.0 * sample["own"] / sample["elapsed"] }).median
    end

    def budgets = [Budget.new("sampling under a convoy", LIMIT, own, "% of a core")]
  end
end
