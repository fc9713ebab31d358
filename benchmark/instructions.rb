# frozen_string_literal: true

require_relative "support/bench"
require_relative "support/callgrind"
require_relative "support/shop"

module Bench
  # Instructions of one unit, one Rails request and one job: the figures with the least noise, to be quoted.
  class Instructions
    UNITS = ["none", "gvltools", "gvl_timing", "perfm", "holdup probe", "holdup"].freeze
    REQUESTS = ["none", "none again", "gvltools", "perfm", "holdup core", "holdup", "OpenTelemetry",
      "Datadog"].freeze
    JOBS = ["none", "empty middleware", "gvl_metrics_middleware", "perfm", "holdup"].freeze
    COLUMNS = ["", "instructions, median (min..max)", "added", "added, %", "holdup's added / its"].freeze
    BARE = ["none", "none again"].freeze
    LIMIT = 20_000
    # As seldom as it can be set: the first tick may take a second under valgrind, and is to be the only one.
    # Requests are watched for what they leave in memory by the clock, too: at most a 200th of the time, but
    # under valgrind each one. So is whether one holds the GVL for long.
    TICK = {"HOLDUP_TICK_SECONDS" => "5", "HOLDUP_WATCH_OBJECTS" => "false", "HOLDUP_HOLD_SAMPLE" => "0"}
      .freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @units, @requests, @jobs = quick ? [50, 2, 20] : [500, 20, 500]
    end

    # @return [Result]
    def call
      tables = [units, requests, jobs].map { |spreads| ResultTable.new(COLUMNS, rows(spreads)) }
      Result.new(title: "Instructions", about:, tables:, budgets:, notes:)
    end

    private

    def units
      Callgrind.new("instructions_unit").call(@units, *UNITS, env: TICK)
    end

    def requests
      @measured = Shop.open { |shop|
        Callgrind.new("instructions_rails").call(@requests, *REQUESTS, env: {**shop.env, **TICK})
      }
    end

    def jobs
      @measured_jobs = Callgrind.new("instructions_jobs").call(@jobs, *JOBS, env: TICK)
    end

    def rows(spreads)
      bare = spreads["none"].median
      holdup = spreads["holdup"].median - bare
      spreads.map do |tool, spread|
        added = spread.median - bare
        ratio = BARE.include?(tool) ? "" : format("%.2f", holdup / added)
        [tool, spread.to_s, format("%+d", added.round), format("%+.2f", added / bare * 100), ratio]
      end
    end

    def about
      "Counted by callgrind. The first table is the unit of above, the second a whole Rails request of " \
      "the storefront " \
        "(six queries and a little JSON: 21 releases of the GVL) through each tool's middleware, in " \
        "process, without a server. The tracers make a span for the request and for each of its queries, " \
        "which go nowhere. The third is an empty job of Sidekiq through each tool's middleware, without " \
        "Redis."
    end

    def notes
      [
        "\"none again\" is the same as \"none\": their difference is what a difference has to exceed to " \
        "mean anything.",
        "Each arm is booted once and forked; the figure is the difference between processes that do it " \
        "more often, so boot and warm-up are not in it. The range is over three such differences. " \
        "Holdup's ticker goes by the clock, and valgrind stretches a second of work to most of a minute: " \
        "it is stopped after its first tick. A tick takes some 1.1 million instructions, once a second and " \
          "process.",
        "Nor does Holdup sample how large the slots of new objects are: it does so every 5 ms at most, and " \
        "valgrind stretches a request to ten times as long. A sample takes some 7,000 instructions. And no " \
        "request is watched for what it leaves in memory (`watch_objects`, at most a 200th of the time).",
        floor,
        "\"empty middleware\" is the floor of the third table: what Sidekiq itself does for one.",
        "The interpreter alone: no YJIT, and no garbage collection, which would fall into one difference " \
        "and not the next.",
        "Valgrind emulates the TSC as one instruction and gives clock_gettime no vDSO, so reading a " \
        "clock looks cheaper than it is, whichever clock it is; the tables of time above have its price."
      ]
    end

    # What a request costs at least, whatever is done about the Ruby around it.
    def floor
      core, all = ["holdup core", "holdup"].map { |tool| added(tool) }
      format("\"holdup core\" is the floor of both budgets: the same request in plain C (events, six " \
        "histograms, ring), without name, queue time, calls and middleware. Of what Holdup adds, that is " \
        "%.0f %%.", core / all * 100)
    end

    def budgets
      holdup, perfm = ["holdup", "perfm"].map { |tool| added(tool) }
      [
        Budget.new("Holdup, instructions added to a Rails request", LIMIT, holdup, "instructions"),
        Budget.new("Holdup, over what perfm adds without its INSERT", 1, holdup / perfm, "x"),
        Budget.new("Holdup, over what gvl_metrics_middleware adds to an empty job", 1,
          added("holdup", @measured_jobs) / added("gvl_metrics_middleware", @measured_jobs), "x")
      ]
    end

    def added(tool, measured = @measured) = measured[tool].median - measured["none"].median
  end
end
