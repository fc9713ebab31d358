# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/coverage/workers"
require_relative "support/simulated_turns"

module Bench
  # Experiments in turns on a machine that drifts, simulated: what `holdup experiment` answers where the truth
  # is known, with neighbouring turns compared in pairs, and as before, with all blocks resampled together.
  class Experiment
    # Share of the experiments with equals that may find a difference, %.
    FALSE_VERDICTS = 5.0
    # Share by which pairs narrow the interval of all blocks at least, %.
    NARROWER = 50.0
    BLOCKS = 60
    COLUMNS = ["planted", "compared", "experiments", "better", "worse", "no difference", "invalid",
      "blocks until better, median", "interval of queued + elapsed p95 at the end, points",
      "the truth in it, %"].freeze
    NAMES = {true => "in pairs", false => "all blocks together"}.freeze
    METRIC = Holdup::Experiment::Result::RESPONSE

    # A verdict and the interval of all blocks. `blocks`: at the look that found it; `low`, `high`: relative
    # difference
    Judged = Data.define(:effect, :pairs, :key, :blocks, :low, :high) do
      def covers? = (low..high).cover?(-effect)

      def width = 100 * (high - low)
    end

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @blocks = quick ? 12 : BLOCKS
      @counts = quick ? {0.0 => 1, 0.4 => 1} : {0.0 => 100, 0.1 => 20, 0.2 => 20, 0.4 => 20}
    end

    # @return [Result]
    def call
      planned = @counts.flat_map { |effect, count| Array.new(count) { |seed| [effect, seed] } }
      @judged = Coverage::Workers.map(planned) { |effect, seed| judged(effect, seed) }.flatten
      rows = @counts.keys.product(NAMES.keys).map { |effect, pairs| row(effect, pairs) }
      Result.new(title: "Experiments in turns on a machine that drifts", about:,
        tables: [ResultTable.new(COLUMNS, rows)], budgets:)
    end

    private

    # @return [Array<Judged>] of the same requests
    def judged(effect, seed)
      turns = SimulatedTurns.new(blocks: @blocks, effect:, seed:)
      NAMES.keys.map do |pairs|
        result = turns.result(pairs:)
        whole = turns.comparison(pairs:).estimate(METRIC).interval
        look = result.answer.look
        Judged.new(effect:, pairs:, key: result.answer.key, low: whole.begin, high: whole.end,
          blocks: look && result.schedule.sizes[look - 1])
      end
    end

    def of(effect, pairs)
      @judged.select { |one| one.effect == effect && one.pairs == pairs }
    end

    def row(effect, pairs)
      found = of(effect, pairs)
      counts = [%i[better], %i[worse both], %i[none], %i[invalid]].map do |keys|
        found.count { |one| keys.include?(one.key) }.to_s
      end
      better = found.select { |one| one.key == :better }.map(&:blocks)
      [format("%.0f %% less", 100 * effect), NAMES.fetch(pairs), found.size.to_s, *counts,
        median(better)&.to_s || "-", format("%.1f", median(found.map(&:width))),
        format("%.0f", 100.0 * found.count(&:covers?) / found.size)]
    end

    def median(values) = values.sort[values.size / 2]

    def budgets
      equals = of(0.0, true)
      false_share = 100.0 * equals.count { |one| %i[better worse both].include?(one.key) } / equals.size
      pairs, all = [true, false].map { |pairs| median(of(0.0, pairs).map(&:width)) }
      [Budget.new(what: "verdicts about equals", limit: FALSE_VERDICTS, actual: false_share, unit: "%"),
        Budget.new(what: "interval in pairs against all blocks together", limit: NARROWER,
          actual: 100 * pairs / all, unit: "%")]
    end

    def about
      "Simulated: one process, #{SimulatedTurns::RATE} requests a second that hold the GVL one after the " \
        "other, turns of #{SimulatedTurns::TURN_S} s, #{@blocks} blocks of two turns each. The machine is " \
        "up to #{SimulatedTurns::DRIFT} times slower from turn to turn, and the load differs by a tenth. " \
        "The requests of the candidate take so much less as is planted. Both ways of comparing see the " \
        "same requests and have the same looks."
    end
  end
end
