# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # One whole unit: what a request or a job pays for being measured and recorded.
  class Unit
    UNITS = ["none", "gvltools", "gvl_timing", "vernier", "perfm", "holdup probe", "holdup",
      "holdup with on_finish"].freeze
    REQUESTS = %w[none gvltools perfm holdup].freeze
    COLUMNS = ["", "ns, median (min..max)", "added", "holdup's added / its", "objects allocated",
      "retained"].freeze
    LIMIT_NS = 1600
    ON_FINISH_LIMIT_NS = 400

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @count = quick ? [2, 5_000] : [9, 20_000]
    end

    # @return [Result]
    def call
      @samples = {"units" => measure("units", UNITS), "requests" => measure("requests", REQUESTS)}
      tables = @samples.values.map { |arms| ResultTable.new(COLUMNS, rows(arms)) }
      Result.new(title: "One unit", about:, tables:, budgets:, notes:)
    end

    private

    def measure(what, arms)
      Rounds.call(arms, @rounds) { |tool| Fresh.call("unit", tool, what, @count) }
    end

    def about
      "The first table is a unit of ten releases of the GVL; the second a Rack request with the same " \
      "work, through the " \
        "middleware that the tool has, with the environment that a Rack 3 server makes. #{@rounds} " \
        "rounds, each arm in a " \
        "fresh process every round. Objects are more than the bare arm's."
    end

    def notes
      [
        "gvltools and vernier know no units and record nothing for one; gvl_timing measures and records " \
        "nothing.",
        "perfm's middleware measures and queues a row; its rows go nowhere here, so its INSERTs are not " \
        "counted.",
        "\"holdup probe\" is the C alone (`enter`, `record`), and so the floor; \"holdup\" what an " \
        "application calls: six histograms, all sums and the ring, in a segment. Ten releases are in it.",
        "\"holdup with on_finish\" calls a block that reads nothing.",
        floor
      ]
    end

    # What no tool gets around that knows how long a thread waited for a CPU.
    def floor
      clocks = Spread.of(@samples["units"].fetch("holdup probe").map { |sample| sample["clocks"] })
      format("Of the probe's time, %.0f ns are two readings of the thread's CPU clock in plain C, a system " \
        "call each; what ten releases take is in the table above.", clocks.median)
    end

    def rows(arms)
      arms.map { |tool, samples|
        [tool, spread(samples, "ns").to_s, added(arms, tool, "ns").to_s, ratio(arms, tool),
          *objects(arms, tool)]
      }
    end

    # What Holdup adds, in parts of what this one does.
    def ratio(arms, tool)
      return "" if tool == "none"
      holdup, other = ["holdup", tool].map { |name| added(arms, name, "ns").median }
      format("%.2f", holdup / other)
    end

    def objects(arms, tool)
      %w[allocated retained].map { |key| format("%.2f", added(arms, tool, key).median.round(2) + 0.0) }
    end

    def spread(samples, key)
      Spread.of(samples.map { |sample| sample[key] })
    end

    def added(arms, tool, key)
      Spread.paired(arms[tool], arms["none"]) { |with, bare| with[key] - bare[key] }
    end

    def budgets = [*units_budgets, on_finish_budget]

    def on_finish_budget
      arms = @samples["units"]
      more = Spread.paired(arms["holdup with on_finish"], arms["holdup"]) do |with, bare|
        with["ns"] - bare["ns"]
      end
      Budget.new("an empty on_finish, time added to holdup's", ON_FINISH_LIMIT_NS, more.median, "ns")
    end

    def units_budgets
      ["holdup probe", "holdup"].flat_map do |tool|
        [
          budget(tool, "ns", "time added", LIMIT_NS, "ns"),
          budget(tool, "allocated", "objects allocated", 1, "objects"),
          budget(tool, "retained", "objects retained", 0.01, "objects")
        ]
      end
    end

    def budget(tool, key, what, limit, unit)
      Budget.new("#{tool}, #{what}", limit, added(@samples["units"], tool, key).median, unit)
    end
  end
end
