# frozen_string_literal: true

require "json"
require "open3"
require_relative "support/bench"
require_relative "support/whom/pair_shares"
require_relative "support/whom/server"

module Bench
  # Whom each wait was for, against planted work that knows its own waits, in four servers.
  class Whom
    include PairShares

    GVL = %w[report price stock cart].freeze
    # Pools of 1, and of 5, which a server with five threads can't exhaust.
    POOLS = %w[refill lookup].freeze
    LARGE_POOLS = %w[batch browse].freeze
    # Of jobs, in each turn: the larger pool is exhausted now and then.
    TURN = [*GVL, *POOLS, *LARGE_POOLS * 3, "checkout"].freeze
    # Of each, for Puma; a client sends one request after the other.
    CLIENTS = [*GVL, *POOLS].to_h { |name| [name, 2] }.merge("checkout" => 1).freeze
    # Of all that an N+1 waits.
    SATURATING = {"orders" => 8}.freeze

    COLUMNS = ["", "requests or jobs", "GVL: off, points at most", "captures: off, points at most",
      "connections: off, points at most", "pairs / GVL wait", "transactions: open, s (known)"].freeze
    PAIR_COLUMNS = ["", "waits for", "planted, %", "measured, %", "captured, %"].freeze
    UNKNOWN_COLUMNS = ["", "switches a second", "GVL wait, s", "unknown, %", "others, %",
      "nobody (hand-off), %"].freeze
    LIMIT = 2
    UNKNOWN_LIMIT = 1
    IDENTITY = 0.01
    NOBODY, BEYOND, _, UNRECORDED = *Holdup::Series::NAMELESS.keys

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @seconds, @jobs, @demo_s = quick ? [4, 20, 5] : [25, 120, 20]
    end

    # @return [Result]
    # @raise [Failure]
    def call
      @planted = {"Puma, 1 x 5" => puma(1), "Puma, 2 x 5" => puma(2), "Sidekiq, 10 threads" => sidekiq(10),
                  "Solid Queue, 10 threads" => jobs(WhomSolidQueue.new)}
      @saturated = {"Puma, 1 x 5, N+1" => WhomPuma.new.record(captured: false) { |server|
        server.work(SATURATING, @seconds)
      }, "Sidekiq, 25 threads, N+1" => WhomSidekiq.new(25).record(captured: false) { |server|
        server.work(%w[orders], 15 * @jobs)
      }}
      tables = [ResultTable.new(COLUMNS, @planted.map { |name, recording| row(name, recording) }),
        ResultTable.new(PAIR_COLUMNS, pair_rows("Puma, 1 x 5")),
        ResultTable.new(UNKNOWN_COLUMNS, [demo, *unknown_rows])]
      Result.new(title: "Whom each wait was for", about:, tables:, budgets:, notes:)
    end

    private

    def puma(processes)
      WhomPuma.new(processes:).record { |server| server.work(CLIENTS, @seconds) }
    end

    def sidekiq(threads) = jobs(WhomSidekiq.new(threads))

    def jobs(server)
      server.record { |runner| runner.work(TURN, @jobs) }
    end

    def row(name, recording)
      [name, recording.truth.size.to_s, points(off(recording)), points(captures_off(recording)),
        points(pools_off(recording)), format("%.5f", identity(recording)),
        transactions(recording)]
    end

    # @return [String] with the bounds that are known
    def transactions(recording)
      seconds = [recording.open_ns, *recording.truth.open_ns].map { |ns| ns / 1e9 }
      format("%.3f (%.3f..%.3f)", *seconds)
    end

    # @return [Float] points by which a share of a planted pair is off at most
    def off(recording) = furthest([recording.truth.pairs], recording.pairs, GVL)

    def captures_off(recording) = furthest([recording.captured], recording.pairs, GVL)

    def pools_off(recording)
      known = [2, 3].map { |ends| recording.truth.pool_pairs(ends) }
      furthest(known, recording.pool_pairs, [*POOLS, *LARGE_POOLS])
    end

    # @return [Float] of what threads stalled, what their pairs have
    def identity(recording)
      recorded = recording.pairs.reject { |(victim, _), _| victim == UNRECORDED }
      recorded.values.sum.fdiv(recording.stalled.values.sum)
    end

    def pair_rows(name)
      recording = @planted.fetch(name)
      all = [recording.truth.pairs, recording.pairs, recording.captured]
      GVL.flat_map do |victim|
        found = all.map { |pairs| shares(pairs, victim, GVL) }
        next [] unless found.first
        GVL.map do |holder|
          [victim, holder, *found.map { |parts| parts ? format("%.1f", parts.fetch(holder)) : "" }]
        end
      end
    end

    def unknown_rows
      [*@planted, *@saturated].map do |name, recording|
        rate = recording.acquisitions / recording.seconds
        unknown_row(name, format("%d", rate), recording.pairs)
      end
    end

    def unknown_row(name, rate, pairs)
      all = pairs.values.sum
      parts = [UNKNOWN, BEYOND, NOBODY].map do |holder|
        format("%.3f", 100.0 * pairs.sum { |(_, one), ns| (one == holder) ? ns : 0 } / all)
      end
      [name, rate, format("%.1f", all / 1e9), *parts]
    end

    # The report of `bin/demo` has its pairs.
    def demo
      command = [File.join(Fresh::ROOT, "bin/demo"), "--json", "--no-advice", "--seconds", @demo_s.to_s]
      output, errors, status = Open3.capture3(*command)
      raise Failure, "bin/demo: #{errors.lines.last(5).join}" unless status.success?
      report = JSON.parse(output)
      @demo = report.fetch("pairs").to_h do |pair|
        [pair.values_at("victim", "causer").map { |side| side.fetch("name") }, pair.fetch("stall_ns")]
      end
      switches = report.fetch("totals").fetch("acquisitions") / report.fetch("totals").fetch("measured_s")
      unknown_row("the demo, Puma, 2 x 5", format("%d", switches), @demo)
    end

    def about
      "Requests and jobs that know their own waits: each notes when it held the GVL, when it wanted it " \
        "back and when it had a connection. #{GVL.join(", ")} hold the GVL for 12, 3, 0.3 and 0.1 ms at a " \
        "time, in C code that checks no interrupts, and sleep without it in between; " \
        "#{POOLS.join(" and ")} keep the connection of a pool of 1 (the gem connection_pool), " \
        "#{LARGE_POOLS.join(" and ")} one of a pool of 5, where there are ten threads; checkout " \
        "has a transaction of Active Record. All at the " \
        "same time. \"Off\" is the largest difference of a pair's share in what its victim waited for " \
        "planted work: measured against known, and against a capture of exactly that time. The third " \
        "table is the part of the GVL wait that is nobody's or not known; a wait of any length is charged, " \
        "so no part is left out as too short."
    end

    def notes
      ["\"pairs / GVL wait\": all pairs, hand-off and unknown time over what requests, jobs and threads " \
        "waited for the GVL. It is 1, up to the units that run on at the end.",
        "A thread that waits for a connection of the gem connection_pool may wake in vain, and each of its " \
        "waits is split on its own. What the work knows is split as one wait, and where threads wait long " \
        "for the GVL before they take what was given back, the two differ.",
        "Who ended waits for locks is measured by the bench whom-locks."]
    end

    def budgets
      @planted.flat_map { |name, recording| planted_budgets(name, recording) } +
        [["the demo", @demo], *@saturated.transform_values(&:pairs)].map do |name, pairs|
          Budget.new("#{name}, unknown", UNKNOWN_LIMIT, unknown_share(pairs), "%")
        end
    end

    def planted_budgets(name, recording)
      [Budget.new("#{name}, shares of the GVL", LIMIT, off(recording), "points"),
        Budget.new("#{name}, captures", LIMIT, captures_off(recording), "points"),
        Budget.new("#{name}, shares of connections", LIMIT, pools_off(recording), "points"),
        Budget.new("#{name}, identity", IDENTITY, 100 * (1 - identity(recording)).abs, "%"),
        Budget.new("#{name}, unknown", UNKNOWN_LIMIT, unknown_share(recording.pairs), "%")]
    end
  end
end
