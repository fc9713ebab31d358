# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # What it takes to find out whether YJIT does anything: each worker pays for it once before its first unit,
  # and for a part of it each minute.
  class JitProbe
    ARMS = %w[healthy spoiled].freeze
    FOUND = {true => "it works", false => "it does nothing", nil => "not known"}.freeze
    COLUMNS = ["YJIT is", "found", "first, us of CPU (min..max)", "again, us"].freeze
    # "About a millisecond."
    LIMIT_US = 2000

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds = quick ? 2 : 15
    end

    # @return [Result]
    def call
      @samples = Rounds.call(ARMS, @rounds) { |arm| Fresh.call("jit_probe", arm, options: []) }
      Result.new(
        title: "Whether YJIT does anything",
        about:,
        tables: [ResultTable.new(COLUMNS, ARMS.map { |arm| row(arm) })],
        budgets: ARMS.map { |arm| Budget.new("#{arm}, first", LIMIT_US, us(arm, "first_ns").median, "us") }
      )
    end

    private

    def about
      "The exercise runs in a fresh process right after YJIT was switched on, as in a worker before its " \
      "first unit, and once more as each minute. " \
        "#{@rounds} rounds. Spoiled: a TracePoint for calls was on for a moment."
    end

    def row(arm)
      [arm, @samples[arm].map { |sample| FOUND.fetch(sample["found"]) }.uniq.join(", "),
        us(arm, "first_ns").to_s(0), us(arm, "again_ns").to_s(0)]
    end

    def us(arm, key)
      Spread.of(@samples[arm].map { |sample| sample[key] / 1000.0 })
    end
  end
end
