# frozen_string_literal: true

require "fileutils"
require "socket"
require "tmpdir"
require "holdup/loader"
require_relative "support/bench"
require_relative "support/shop_trial"

module Bench
  # The whole loop of `config.autopilot` on the storefront: real traffic, a real Puma whose threads change
  # while it runs, the collector's own experiment and its verdict. Then a sweep of the same settings, which
  # says what the best one would have been.
  class Autopilot
    # `slo` leaves room: a candidate must not be taken back only because it is noisy. `swept`: threads of the
    # sweep; `change`: OfferedLoad from when the first candidate is kept, nil: none
    AutopilotCase = Data.define(:name, :about, :traffic, :processes, :threads, :range, :swept, :change) do
      def slo = "p95=3s"

      # @return [OfferedLoad] at the end
      def last = change || traffic
    end
    # `rate`: requests per second
    OfferedLoad = Data.define(:routes, :rate)
    # What the loop did. `lines`: Array of [minutes since the boot, String]; `found`: threads in the end;
    # `minutes`: until it last kept some, nil: it kept none; `kept`: how often it did
    LoopOutcome = Data.define(:lines, :found, :minutes, :kept)

    # Three requests in ten compute for 20 ms at once; the others need the GVL a hundred times for a moment,
    # and each time wait for all of those that are in flight.
    ORDERS = Holdup::Lab::Route.new(label: "OrdersController#index", weight: 7,
      path: ->(random) { "/orders?page=#{random.rand(20)}" })
    FORECAST = Holdup::Lab::Route.new(label: "ReportsController#forecast", weight: 3,
      path: "/reports/forecast?cpu_ms=20")
    HOG = OfferedLoad.new(rate: 38, routes: [ORDERS, FORECAST].freeze)
    QUOTES = OfferedLoad.new(rate: 20, routes: [Holdup::Lab::Route.new(label: "QuotesController#show",
      path: ->(random) { "/quotes/#{random.rand(200)}" }, weight: 1)].freeze)
    CASES = [
      AutopilotCase.new(name: "hog", about: "16 threads of one process, three requests in ten compute",
        traffic: HOG, processes: 1, threads: 16, range: 1..16, swept: [2, 3, 4, 5], change: nil),
      AutopilotCase.new(name: "waiting", about: "one thread for each of two processes, requests mostly wait",
        traffic: QUOTES, processes: 2, threads: 1, range: 1..8, swept: [2, 3, 5], change: nil),
      AutopilotCase.new(name: "same", about: "five threads at little load, where threads make no difference",
        traffic: OfferedLoad.new(routes: ShopTrial::SMOOTH, rate: 10), processes: 1, threads: 5, range: 3..8,
        swept: [3, 8], change: nil),
      AutopilotCase.new(name: "mix", about: "as hog; once fewer threads are kept, requests mostly wait",
        traffic: HOG, processes: 1, threads: 16, range: 1..16, swept: [8, 16], change: QUOTES.with(rate: 80))
    ].freeze
    # All but the last, which takes twice as long.
    USUAL = %w[hog waiting same].freeze
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
      @longest_s = quick ? 40 : 60 * Integer(ENV.fetch("BENCH_MINUTES", 24))
      @sweep_s, @warm_up_s = quick ? [4, 2] : [60, 12]
      @quick = quick
      @turn_s = 30
      wanted = ENV.fetch("BENCH_PARTS", USUAL.join(",")).split(",")
      @cases = CASES.select { |one| wanted.include?(one.name) }
    end

    # @return [Result]
    def call
      @measured = together(@cases) do |one|
        Shop.open { |shop| loop_of(one, shop).then { |outcome| [outcome, sweep(one, shop, outcome)] } }
      end
      tables = [ResultTable.new(COLUMNS, @cases.map { |one| row(one) }),
        ResultTable.new(SWEEP_COLUMNS, @cases.flat_map { |one| sweep_rows(one) })]
      Result.new(title: "The autopilot on the storefront", about:, tables:, budgets:, notes:)
    end

    private

    # Each case in a process of its own, at the same time: their servers are idle for most of it.
    # @return [Hash{AutopilotCase => Object}] what the block returned
    def together(cases)
      answers = cases.to_h do |one|
        reader, writer = IO.pipe(binmode: true)
        fork { answer(writer) { yield one } }
        writer.close
        [one, reader]
      end
      answers.to_h { |one, reader| [one, received(one, reader)] }
    ensure
      Process.waitall
    end

    # A parent's ways to end (at_exit, ensure) are not the child's.
    def answer(writer)
      writer.write(Marshal.dump(yield))
      writer.close
      exit!(true)
    rescue => error
      warn error.full_message
      exit!(false)
    end

    def received(one, reader)
      text = reader.read
      raise Failure, "the case #{one.name} failed" if text.empty?
      Marshal.load(text)
    end

    def outcome(one) = @measured.fetch(one).first

    def swept(one) = @measured.fetch(one).last

    def about
      "Puma of the storefront under an open load, with `config.autopilot` and turns of #{@turn_s} s; the " \
        "cases run at the same time, each for #{@longest_s.ceildiv(60)} minutes at most. A " \
        "process counts as warm after two minutes, and the sizing is asked every 30 s; the rest is as in " \
        "production. Then some numbers of threads in a fresh server, each under the same requests for " \
        "#{@sweep_s} s: p95 of all, as their clients see it."
    end

    # @return [LoopOutcome]
    def loop_of(one, shop)
      Dir.mktmpdir("holdup-autopilot", Fresh::SHARED_MEMORY) do |dir|
        store = File.join(shop.folder, "autopilot-#{one.name}.sqlite3")
        target = boot(one, shop, dir:, store:)
        lines = watch(one, target, dir)
        load(target, one.last, 0) # until workers have followed, and the store has it
        state = state_of(dir)
        kept = lines.select { |_, text| text.start_with?("kept") }
        LoopOutcome.new(lines: lines + audit(store), found: state.kept&.values&.last || one.threads,
          minutes: kept.last&.first, kept: kept.size)
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
      rest(dir)
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

    # As if the setting had changed when processes are warm: else most of a short recording would be of cold
    # ones, and no recording for the sizing.
    def rest(dir)
      warm_s = Time.now.to_i + Holdup::Analysis::ProcessBoots::WARM_UP_S
      state = Holdup::Analysis::AutopilotState.new(changed_s: warm_s)
      FileUtils.mkdir_p(dir)
      Holdup::AutopilotFolder.new(dir).write_state(state.to_json)
    end

    # Load until the autopilot has kept something for the last traffic, or the time is over.
    # @return [Array<Array>] minutes since the start, and what is new
    def watch(one, target, dir)
      started_s = now_s
      said = []
      kept_s = nil
      until now_s - started_s > longest_s(one)
        traffic = kept_s ? one.last : one.traffic
        load(target, traffic, said.size + (now_s - started_s).to_i)
        state = state_of(dir)
        text = describe(state)
        next if said.any? && said.last.last == text
        warn("bench: #{one.name}: #{text}")
        said << [((now_s - started_s) / 60).round(1), text]
        break if kept_s && state.changed_s > kept_s
        next unless state.kept
        break unless one.change
        kept_s ||= state.changed_s
      end
      said
    end

    def longest_s(one) = one.change ? 2 * @longest_s : @longest_s

    def load(target, traffic, seed)
      Holdup::Lab::Load::OpenLoop.new.call(target, routes: traffic.routes, rate: traffic.rate,
        seconds: [SLICE_S, @longest_s].min, seed:)
    end

    # @return [Holdup::Analysis::AutopilotState]
    def state_of(dir)
      Holdup::Analysis::AutopilotState.parse(Holdup::AutopilotFolder.new(dir).state)
    end

    # @return [String]
    def describe(state)
      case state.phase
      when :experiment then "experiment: threads #{state.plan.values.join(" and ")} (#{state.plan.why})"
      when :kept then "kept: threads #{state.kept.values.join(" -> ")} (#{state.kept.why})"
      else
        "waiting: #{state.waits} #{state.detail}".strip
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
    def sweep(one, shop, outcome)
      traffic = one.last
      trial = ShopTrial.new(shop, routes: traffic.routes, warm_up_s: @warm_up_s)
      threads = [*(one.swept unless @quick), one.threads, outcome.found].uniq.sort
      threads.to_h do |number|
        warn("bench: #{one.name}, #{number} threads")
        reading = trial.call(one.processes, number, rate: traffic.rate, seconds: @sweep_s, seed: 7)
        [number, reading.outcome.seen.total.p95_ns / 1e6]
      end
    end

    def row(one)
      outcome = outcome(one)
      best, best_ms = swept(one).min_by(&:last)
      [one.name, one.threads.to_s, outcome.found.to_s, outcome.minutes&.to_s || "-",
        ms(swept(one)[outcome.found]), best.to_s, ms(best_ms), format("%+.1f", worse(one))]
    end

    def sweep_rows(one) = swept(one).map { |threads, value| [one.name, threads.to_s, ms(value)] }

    def ms(value) = format("%.1f", value)

    # @return [Float] %, of what it found against the best of the sweep
    def worse(one)
      100 * (swept(one)[outcome(one).found] / swept(one).values.min - 1)
    end

    def budgets
      @cases.flat_map do |one|
        changed = (outcome(one).found - one.threads).abs
        next budget(one, "threads changed", 0, changed, "threads") if one.name == "same"
        against_best = budget(one, "worse than the best", LIMIT, worse(one), "%")
        one.change ? [against_best, budget(one, "changes", 2, outcome(one).kept, "changes")] : against_best
      end
    end

    def budget(one, what, limit, actual, unit)
      Budget.new(what: "#{one.name}: #{what}", limit:, actual:, unit:)
    end

    def notes
      @cases.map do |one|
        lines = outcome(one).lines.map { |minutes, text| minutes ? "#{minutes} min: #{text}" : text }
        "#{one.name} (#{one.about}): #{lines.join("; ")}"
      end
    end

    def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
