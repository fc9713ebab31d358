# frozen_string_literal: true

require_relative "support/bench"
require_relative "support/callgrind"
require_relative "instructions"

module Bench
  # What it takes to know whom a unit has waited for: in instructions, and what its end takes in time.
  class Holders
    # Threads that wait for each other in turns: a wait passes over one hold less. One alone never waits.
    TURNS = [1, 2, 5, 9, 17, 33].freeze
    TURN_COLUMNS = ["threads", "holds that a wait passes over", "charging them", "budget",
      "waits that are charged, %", "a party's begin", "a unit's end"].freeze
    FUNCTIONS = %w[pair_charge_holds pair_begin pair_finish].freeze
    CHARGE_LIMIT, HOLD_LIMIT, BEGIN_LIMIT = 60, 25, 600
    HOLDERS = [0, 1, 4, 8, 16, 32].freeze
    # What the holders are doing.
    OTHERS = {"named" => "outside of requests and jobs", "open" => "each in one that is still open"}.freeze
    END_COLUMNS = ["holders", "they are", "end without holders, ns", "more with them, ns, median (min..max)",
      "budget", "end with holders / without"].freeze
    END_LIMIT_NS, HOLDER_LIMIT_NS = 60, 25

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @waits, @rounds, @pairs = quick ? [20, 1, 200] : [200, 3, 1_000]
    end

    # @return [Result]
    def call
      @functions = Callgrind.new("instructions_pairs").functions(@waits, *TURNS, env: Instructions::TICK)
      @ends = Rounds.call(HOLDERS.product(OTHERS.keys), @rounds) do |holders, others|
        Fresh.call("unit_ends", others, holders, @pairs)
      end
      tables = [ResultTable.new(TURN_COLUMNS, turn_rows), ResultTable.new(END_COLUMNS, end_rows)]
      Result.new(title: "Whom a unit has waited for", about:, tables:, budgets:, notes:)
    end

    private

    def about
      "The first table is counted by callgrind, with what a function calls: threads let each other run " \
      "with a unit open each, five units of #{@waits} waits a thread. In the second, a unit waits once for " \
      "all other threads, and one that has not waited for them ends in the same state of the caches; both " \
      "take turns #{@pairs} times in each of #{@rounds} processes, and a figure is the median of the " \
      "differences."
    end

    def notes
      [
        "A release for which nobody waits is not charged: it adds its time to the hand-off.",
        "In the first table a unit meets more parties than threads: each other thread is one between its " \
        "units, too, and the next unit is another. Most pairs are new there, so their rows are made.",
        "A party's begin is the one of a unit or thread, with its memory where none is used again."
      ]
    end

    def turn_rows
      @functions.map do |threads, functions|
        holds = threads.to_i - 1
        charged, resumed = functions.values_at("pair_charge_holds", "hook_resumed").map(&:calls)
        share = format("%.1f", 100.0 * charged / resumed)
        charge, *edges = FUNCTIONS.map { |name| format("%.0f", each(threads, name)) }
        [threads, holds.to_s, charge, charge_limit(holds).to_s, share, *edges]
      end
    end

    # @return [Float] instructions of a call
    def each(threads, function) = @functions.fetch(threads.to_s).fetch(function).each

    def charge_limit(holds) = CHARGE_LIMIT + HOLD_LIMIT * holds

    def end_rows
      @ends.map do |(holders, others), samples|
        alone = Spread.of(samples.map { |sample| sample["alone"] }).median
        more = over(holders, others)
        [holders.to_s, OTHERS.fetch(others), format("%.0f", alone), more.to_s, end_limit(holders).to_s,
          format("%.2f", 1 + more.median.fdiv(alone))]
      end
    end

    def over(holders, others)
      Spread.of(@ends.fetch([holders, others]).map { |sample| sample["over"] })
    end

    def end_limit(holders) = END_LIMIT_NS + HOLDER_LIMIT_NS * holders

    def budgets = [*charge_budgets, begin_budget, *end_budgets]

    def charge_budgets
      TURNS.drop(1).map do |threads|
        holds = threads - 1
        Budget.new("charging a wait for #{holds}", charge_limit(holds), each(threads, "pair_charge_holds"),
          "instructions")
      end
    end

    def begin_budget
      most = TURNS.map { |threads| each(threads, "pair_begin") }.max
      Budget.new("a party's begin, at most", BEGIN_LIMIT, most, "instructions")
    end

    def end_budgets
      HOLDERS.drop(1).product(OTHERS.keys).map do |holders, others|
        Budget.new("the end of a unit with #{holders} holders, #{OTHERS.fetch(others)}", end_limit(holders),
          over(holders, others).median, "ns")
      end
    end
  end
end
