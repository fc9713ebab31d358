# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"

module Bench
  # How fast recorded units are played again: advice tries a hundred settings, each with tens of thousands of
  # units.
  class Replay
    SIZING = Holdup::Advise::Sizing
    MS = 1_000_000
    ACQUISITIONS = 8
    # Processes x threads, and units per second that arrive: in the order of the table.
    SETTINGS = [[1, 5, 60], [1, 16, 85], [2, 5, 120], [4, 8, 150]].freeze
    VCPUS = 2
    EVENT_NS = 1000
    WHOLE_S = 0.5

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @units, @rounds = quick ? [2_000, 3] : [20_000, 15]
    end

    # @return [Result]
    def call
      measured = SETTINGS.to_h { |setting| [setting, measure(*setting)] }
      Result.new(
        title: "The replay behind the advice",
        about:,
        tables: [ResultTable.new(
          ["processes x threads", "units/s", "events", "ms, median (min..max)", "million events/s"],
          measured.map { |setting, found| row(setting, *found) }
        )],
        budgets: budgets(measured.values)
      )
    end

    private

    def about
      "#{@units} requests (10 ms held, 15 ms idle, both random) with #{ACQUISITIONS} acquisitions each " \
      "are replayed on #{VCPUS} vCPUs: from the packed trace to what became of each unit. #{@rounds} " \
      "times; CPU time."
    end

    def measure(processes, threads, rate)
      trace = trace(rate).tap(&:packed)
      scenario = SIZING::Scenario.of(processes:, threads:, vcpus: VCPUS, assignment: :random)
      events = SIZING::Replay.call(trace, scenario).events
      [events, Spread.of(Array.new(@rounds) { milliseconds { SIZING::Replay.call(trace, scenario).rows } })]
    end

    def trace(rate)
      random = Random.new(1)
      at_ns = 0
      SIZING::Trace.new(Array.new(@units) do
        at_ns += exponential(random, 1000.0 / rate)
        SIZING::Trace::TraceUnit.new(arrival_ns: at_ns, held_ns: exponential(random, 10),
          idle_ns: exponential(random, 15), acquisitions: ACQUISITIONS)
      end)
    end

    def exponential(random, mean_ms)
      (-Math.log(1 - random.rand) * mean_ms * MS).round
    end

    def milliseconds
      before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      yield
      (Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before) * 1000
    end

    def row((processes, threads, rate), events, spread)
      ["#{processes} x #{threads}", rate.to_s, events.to_s, spread.to_s(1),
        format("%.2f", events / spread.median / 1000)]
    end

    def budgets(measured)
      [
        Budget.new(
          "one event, in the slowest setting", EVENT_NS,
          measured.map { |events, spread| spread.median * MS / events }.max, "ns"
        ),
        Budget.new("all of them, in the slowest setting", WHOLE_S,
          measured.map { |_, spread| spread.median }.max / 1000, "s")
      ]
    end
  end
end
