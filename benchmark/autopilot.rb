# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/shop_trial"

module Bench
  # The whole loop of `config.autopilot` on the storefront: real traffic, a real Puma whose threads change
  # while it runs, the collector's own experiment and its verdict. Then a sweep of the same settings, which
  # says what the best one would have been.
  class Autopilot
    # `slo` leaves room: a candidate must not be taken back only because it is noisy
    AutopilotCase = Data.define(:name, :about, :routes, :processes, :threads, :range, :rate, :slo)
    # What the loop did. `lines`: Array of [minutes since the boot, String]; `found`: threads in the end;
    # `minutes`: until it kept them, nil: it kept none
    LoopOutcome = Data.define(:lines, :found, :minutes)

    # One request in ten computes for long while others wait.
    HOG = [*ShopTrial::SMOOTH,
      Holdup::Lab::Route.new(label: "ReportsController#sales", path: "/reports/sales", weight: 10)].freeze
    WAITING = [Holdup::Lab::Route.new(label: "QuotesController#show",
      path: ->(random) { "/quotes/#{random.rand(200)}" }, weight: 1)].freeze
    CASES = [
      AutopilotCase.new(name: "hog", about: "16 threads of one process, one page of which computes for long",
        routes: HOG, processes: 1, threads: 16, range: 1..16, rate: 100, slo: "p95=3s"),
      AutopilotCase.new(name: "waiting", about: "one thread for each of two processes, requests mostly wait",
        routes: WAITING, processes: 2, threads: 1, range: 1..8, rate: 30, slo: "p95=3s"),
      AutopilotCase.new(name: "same", about: "five threads at little load, where threads make no difference",
        routes: ShopTrial::SMOOTH, processes: 1, threads: 5, range: 3..8, rate: 10, slo: "p95=3s")
    ].freeze
    COLUMNS = ["case", "threads before", "found", "after, min", "p95 there, ms", "best of the sweep",
      "p95 there, ms", "found against best, %"].freeze
    SWEEP_COLUMNS = ["case", "threads", "p95, ms"].freeze
    # Share by which what it finds may be worse than the best of the sweep.
    LIMIT = 3.0
    COLLECTOR = [RbConfig.ruby, *Fresh::LOAD_PATH,
      File.join(__dir__, "support/autopilot_collector.rb")].freeze
    # Of one load; between two of them the state is read.
    SLICE_S = 30
    BOOT_S = 60
    STEP_S = 0.2

    # @param quick [Boolean] only to see that it runs: no verdict comes that soon
    def initialize(quick:)
      @longest_s = quick ? 40 : 60 * Integer(ENV.fetch("BENCH_MINUTES", 110))
      @sweep_s, @warm_up_s, @rounds = quick ? [4, 2, 1] : [60, 15, 2]
      @turn_s = 60
      wanted = ENV["BENCH_PARTS"]&.split(",")
      @cases = CASES.select { |one| wanted.nil? || wanted.include?(one.name) }
    end

    # @return [Result]
    def call
      Shop.open do |shop|
        @outcomes = @cases.to_h { |one| [one, loop_of(one, shop)] }
        @swept = @cases.to_h { |one| [one, sweep(one, shop)] }
      end
      tables = [ResultTable.new(COLUMNS, @cases.map { |one| row(one) }),
        ResultTable.new(SWEEP_COLUMNS, @cases.flat_map { |one| sweep_rows(one) })]
      Result.new(title: "The autopilot on the storefront", about:, tables:, budgets:, notes:)
    end

    private

    def about
      "Puma of the storefront under an open load, with `config.autopilot` and turns of #{@turn_s} s; at " \
        "most #{@longest_s.ceildiv(60)} minutes for each case. A process counts as warm after two minutes, " \
        "and the sizing is asked each minute; the rest is as in production. Then each number of threads in " \
        "a fresh server, #{@rounds} time(s) for #{@sweep_s} s: the median p95 of all requests."
    end

    # @return [LoopOutcome]
    def loop_of(one, shop)
      Dir.mktmpdir("holdup-autopilot", Fresh::SHARED_MEMORY) do |dir|
        store = File.join(shop.folder, "autopilot-#{one.name}.sqlite3")
        target = boot(one, shop, dir:, store:)
        lines = watch(one, target, dir)
        found = Holdup::AutopilotFolder.new(dir).kept_file.read&.values&.last || one.threads
        minutes = lines.find { |_, text| text.start_with?("kept") }&.first
        LoopOutcome.new(lines: lines + audit(store), found:, minutes:)
      ensure
        shop.children.stop(one.name)
        shop.children.stop("collector of #{one.name}")
      end
    end

    # @return [Holdup::Lab::Load::Target]
    def boot(one, shop, dir:, store:)
      port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
      log = File.join(shop.folder, "autopilot-#{one.name}.log")
      goal = "#{one.slo} threads=#{one.range} turn=#{@turn_s}"
      setting = {"STOREFRONT_WORKERS" => one.processes.to_s, "STOREFRONT_THREADS" => one.threads.to_s}
      measured = {"HOLDUP_ENABLED" => "true", "HOLDUP_DIR" => dir, "HOLDUP_STORE" => store,
                  "HOLDUP_COLLECTOR" => "off"}
      env = {**shop.env, **measured, **setting, "HOLDUP_AUTOPILOT" => goal, "PORT" => port.to_s}
      shop.children.start(one.name, env, *ShopTrial::COMMAND, chdir: Shop::APP, out: log, err: log)
      wait_for(port, log)
      shop.children.start("collector of #{one.name}", {}, *COLLECTOR, dir, store, out: log, err: log)
      Holdup::Lab::Load::Target.new("http://127.0.0.1:#{port}")
    end

    def wait_for(port, log)
      deadline = now_s + BOOT_S
      begin
        TCPSocket.new("127.0.0.1", port).close
      rescue SystemCallError
        raise Failure, "the storefront does not listen:\n#{File.read(log)[-2000..]}" if now_s > deadline
        IO.select(nil, nil, nil, STEP_S)
        retry
      end
    end

    # Load until the autopilot has kept something, has given an experiment up, or the time is over.
    # @return [Array<Array>] minutes since the start, and what is new
    def watch(one, target, dir)
      started_s = now_s
      said = []
      until now_s - started_s > @longest_s
        seed = said.size + (now_s - started_s).to_i
        Holdup::Lab::Load::OpenLoop.new.call(target, routes: one.routes, rate: one.rate,
          seconds: [SLICE_S, @longest_s].min, seed:)
        text = state_of(dir)
        next if said.any? && said.last.last == text
        warn("bench: #{one.name}: #{text}")
        said << [((now_s - started_s) / 60).round(1), text]
        break if text.start_with?("kept", "given up")
      end
      said
    end

    # @return [String]
    def state_of(dir)
      state = Holdup::Collector::Autopilot::AutopilotState.parse(Holdup::AutopilotFolder.new(dir).state)
      case state.phase
      when :kept then "kept: threads #{state.kept.values.join(" -> ")} (#{state.kept.why})"
      when :experiment then "experiment: threads #{state.plan.values.join(" and ")} (#{state.plan.why})"
      else
        given_up = (state.waits == :returned) ? "given up: " : "waiting: "
        "#{given_up}#{state.waits} #{state.detail}".strip
      end
    end

    # What the workers did, as the store has it.
    def audit(path)
      store = Holdup::Store.open(path, read_only: true)
      entries = store.audit_entries(0, 1 << 40, events: %i[begins kept ends])
      groups = Holdup::AuditEntry::AlikeEntries.of(entries)
      groups.map do |group|
        first = group.first
        change = "#{first.lever} #{first.from} -> #{first.to} in #{group.pids.size} process(es)"
        [nil, "#{first.event}: #{change}, #{first.who}: #{first.why}"]
      end
    ensure
      store&.close
    end

    # @return [Hash{Integer => Float}] ms, by threads
    def sweep(one, shop)
      trial = ShopTrial.new(shop, routes: one.routes, warm_up_s: @warm_up_s)
      runs = Rounds.call(swept_threads(one), @rounds) do |threads|
        warn("bench: #{one.name}, #{threads} threads")
        outcome = trial.call(one.processes, threads, rate: one.rate, seconds: @sweep_s, seed: 7).outcome
        outcome.seen.total.p95_ns / 1e6
      end
      runs.transform_values { |values| Spread.of(values).median }
    end

    # Each would take an hour; what the autopilot found and what it began with are always in it.
    def swept_threads(one)
      tried = [1, 2, 3, 5, 8, 12, 16].select { |threads| one.range.cover?(threads) }
      tried = tried.first(1) if @rounds == 1
      [*tried, one.threads, @outcomes.fetch(one).found].uniq.sort
    end

    def row(one)
      outcome = @outcomes.fetch(one)
      swept = @swept.fetch(one)
      best, best_ms = swept.min_by(&:last)
      [one.name, one.threads.to_s, outcome.found.to_s, outcome.minutes&.to_s || "-", ms(swept[outcome.found]),
        best.to_s, ms(best_ms), format("%+.1f", worse(one))]
    end

    def sweep_rows(one) = @swept.fetch(one).map { |threads, value| [one.name, threads.to_s, ms(value)] }

    def ms(value) = format("%.1f", value)

    # @return [Float] %, of what it found against the best of the sweep
    def worse(one)
      swept = @swept.fetch(one)
      100 * (swept[@outcomes.fetch(one).found] / swept.values.min - 1)
    end

    def budgets
      changed = @cases.select { |one| one.name != "same" }
      same = @cases.select { |one| one.name == "same" }
      against_best = changed.map do |one|
        Budget.new(what: "#{one.name}: worse than the best", limit: LIMIT, actual: worse(one), unit: "%")
      end
      left_alone = same.map do |one|
        difference = (@outcomes.fetch(one).found - one.threads).abs
        Budget.new(what: "#{one.name}: threads changed", limit: 0, actual: difference, unit: "threads")
      end
      against_best + left_alone
    end

    def notes
      @cases.flat_map do |one|
        lines = @outcomes.fetch(one).lines.map { |minutes, text| minutes ? "#{minutes} min: #{text}" : text }
        ["#{one.name} (#{one.about}): #{lines.join("; ")}"]
      end
    end

    def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
