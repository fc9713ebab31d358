# frozen_string_literal: true

require_relative "../test/support/calls_script"
require_relative "../test/support/postgres_server"
require_relative "../test/support/redis_server"
require_relative "support/bench"
require_relative "support/callgrind"
require_relative "support/paired_batches"
require_relative "support/rubies"
require_relative "instructions"

module Bench
  # One call of a request or job to another system: what it pays for being split and recorded.
  class Calls
    # What is around an empty block => what the row is called.
    ARMS = {"bare" => "a bare block", "probe" => "holdup probe", "notification" => "a query's notification",
            "listened" => "the notification, and one more subscriber",
            "holdup" => "the notification, and holdup around it",
            "OpenTelemetry" => "the notification, and OpenTelemetry's span",
            "Datadog" => "the notification, and Datadog's span",
            "client" => "a client's empty method",
            "push" => "the method, which pushes to Sidekiq, and holdup",
            "search" => "the method, which asks Elasticsearch, and holdup",
            "enqueue" => "a push of Active Job to an empty adapter",
            "enqueued" => "that push, and holdup"}.freeze
    # With Holdup => what it is around.
    BASES = {"probe" => "bare", "holdup" => "notification", "push" => "client",
             "search" => "client to search", "enqueued" => "enqueue"}.freeze
    # The same, as a process that has only one arm counts objects.
    ALLOCATING = {"holdup" => "notification", "push" => "client", "search" => "client",
                  "enqueued" => "enqueue"}.freeze
    COLUMNS = ["", "ns, median (min..max)", "added", "objects allocated"].freeze
    ADDED_COLUMNS = ["holdup, over what it is around", "ns added, median (95 % interval)",
      "processes, min..max", "instructions added"].freeze
    # An arm with spans takes 30 to 100 us a call, the others less than 2.
    TRACED = %w[OpenTelemetry Datadog].freeze
    TRACED_PART = 20
    LIMIT_NS = 150
    LIMIT_OBJECTS = 1

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @count = quick ? [3, 20_000] : [5, 100_000]
      @processes, @turns = quick ? [3, 20] : [11, 300]
      @instructions = quick ? 50 : 500
    end

    # @return [Result]
    def call
      @samples = Rounds.call(ARMS.keys, @rounds) { |arm| Fresh.call("calls", arm, count(arm)) }
      @added = Rounds.call(BASES.keys, @processes) do |arm|
        Fresh.call("calls_added", BASES.fetch(arm), arm, @turns)
      end
      arms = BASES.to_a.flatten.uniq
      @counted = Callgrind.new("calls_instructions").call(@instructions, *arms, env: Instructions::TICK)
      tables = [ResultTable.new(COLUMNS, rows), ResultTable.new(ADDED_COLUMNS, added_rows)]
      Result.new(title: "One call to another system", about:, tables:, budgets:, notes:)
    end

    private

    def count(arm)
      TRACED.include?(arm) ? @count / TRACED_PART : @count
    end

    def about
      "An empty block in an open unit; #{@rounds} rounds, each arm in a fresh process every round, in " \
        "changing order. \"holdup probe\" is the C alone. The notification is Active Support's " \
        "`sql.active_record`, which the method `log` of Active Record's connections sends for each query, " \
        "with one subscriber that does nothing, as any Rails application has some; the next arm has one " \
        "more that is called at begin and end. Holdup is around that method. The tracers' subscribers of " \
        "the same notification make a span, which goes nowhere; a hundred are one request. The client's " \
        "method is empty, too, and Holdup is around it. The push is Active Job's own `enqueue`, and Holdup " \
        "is around its adapter, which is empty. The unit's end, which writes its calls into the segment, " \
        "is not counted."
    end

    def notes
      ["The second table compares both within one process, where nothing but Holdup differs: " \
        "#{@turns} times four batches of #{PairedBatches::BATCH} calls (without, with, with, without) in " \
        "CPU time, with garbage collected between them; the median of each of #{@processes} processes, " \
        "then the median of these, with its bootstrap interval. A budget is met where the interval's " \
        "upper end meets it.",
        "Its instructions are callgrind's, without YJIT: they have no noise, but show neither what a clock " \
        "costs nor what the processor does at the same time."]
    end

    def rows
      ARMS.map do |arm, name|
        [name, Spread.of(column(arm, "ns")).to_s, (arm == "bare") ? "" : added(arm, "bare", "ns").to_s,
          format("%.2f", added(arm, "bare", "allocated").median)]
      end
    end

    def added_rows
      BASES.map do |arm, base|
        spread = Spread.of(@added[arm])
        low, high = PairedBatches.interval(@added[arm])
        instructions = @counted[arm].median - @counted[base].median
        [ARMS[arm], format("%.0f (%.0f..%.0f)", spread.median, low, high),
          format("%.0f..%.0f", spread.min, spread.max), instructions.round.to_s]
      end
    end

    def budgets
      times = BASES.keys.map do |arm|
        Budget.new("#{ARMS[arm]}, added at most", LIMIT_NS, PairedBatches.interval(@added[arm]).last, "ns")
      end
      objects = ALLOCATING.map do |arm, base|
        Budget.new("#{ARMS[arm]}, objects allocated over #{ARMS[base]}", LIMIT_OBJECTS,
          added(arm, base, "allocated").median.round(1), "objects")
      end
      [*times, *objects]
    end

    def column(arm, key) = @samples[arm].map { |sample| sample[key] }

    def added(arm, base, key)
      Spread.paired(@samples[arm], @samples[base]) { |with, bare| with[key] - bare[key] }
    end
  end

  # Whether the remote part of a call is what the other system says it took, while other threads hold the GVL:
  # on both Rubies.
  class CallTruth
    CALLS = 30
    COLUMNS = ["", "threads that compute", "server, ms", "seen by Ruby, ms", "off by", "remote, ms", "off by",
      "calls within 5 % or 100 us"].freeze
    SYSTEMS = %w[PostgreSQL Redis HTTP].freeze
    # Of what the server says, in %; or so many ns.
    LIMIT, LEAST_NS = 5, 100_000
    LOGGED = /duration: ([\d.]+) ms .*call (\d+ \d+)\./

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @calls = quick ? 3 : CALLS
    end

    # @return [Result]
    def call
      @found = Rubies.all.flat_map { |version, options| measured(version, options) }
      Result.new(title: "What calls take, against what the servers say", about:,
        tables: [ResultTable.new(COLUMNS, @found.map { |level| row(level) })], budgets:)
    end

    private

    # Calls to one system on one Ruby while so many threads compute; ns.
    Level = Data.define(:ruby, :system, :hogs, :calls) do
      def median(key) = Spread.of(calls.map { |call| call.fetch(key) }).median

      # Of what the server says, %.
      def off(key)
        Spread.of(calls.map { |call| 100.0 * (call[key] - call["said"]).abs / call["said"] }).median
      end

      def within
        calls.count do |call|
          (call["remote"] - call["said"]).abs <= [call["said"] * LIMIT / 100.0, LEAST_NS].max
        end
      end
    end

    def measured(version, options)
      SYSTEMS.flat_map do |system|
        calls = send(system.downcase) { |address| ask(system, address, **options) }
        levels = calls.group_by { |call| call["name"].to_i }
        levels.map { |hogs, same| Level.new(version, system, hogs, same) }
      end
    end

    def ask(system, address, env: {}, **options)
      Fresh.call("call_truth", system, @calls, options: [], env: {**env, "ADDRESS" => address}, **options)
    end

    def row(level)
      seen, remote, said = %w[seen remote said].map { |key| format("%.1f", level.median(key) / 1e6) }
      off = [format("%.0f %%", level.off("seen")), format("%.1f %%", level.off("remote"))]
      ["#{level.system}, Ruby #{level.ruby}", level.hogs.to_s, said, seen, off.first, remote, off.last,
        "#{level.within} of #{level.calls.size}"]
    end

    def about
      "#{@calls} calls that take the server 100 ms, one after the other, while none, one or three other " \
        "threads compute. The server says how long each took: PostgreSQL in its log (`pg_sleep`), Redis in " \
        "its own (a script that computes), the HTTP server in its answer. Medians of single calls."
    end

    def budgets
      @found.map do |level|
        what = "#{level.system}, Ruby #{level.ruby}, #{level.hogs} threads that compute: remote is off by"
        Budget.new(what, LIMIT, level.off("remote"), "%")
      end
    end

    def postgresql
      PostgresServer.run do |postgres|
        calls = yield postgres.url
        logged = postgres.log.scan(LOGGED).to_h { |ms, name| [name, ms.to_f * 1e6] }
        calls.map { |call| {**call, "said" => logged.fetch(call["name"])} }
      end
    end

    def redis
      RedisServer.run { |redis| yield redis.url }
    end

    def http
      server = IO.popen([RbConfig.ruby, "--disable=gems", "-e", CallsScript::SERVER])
      yield "127.0.0.1:#{server.gets.strip}"
    ensure
      Process.kill(:KILL, server.pid)
      server.close
    end
  end
end
