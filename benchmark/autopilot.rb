# frozen_string_literal: true

require "fileutils"
require "socket"
require "tmpdir"
require "holdup/loader"
require_relative "../test/support/free_ports"
require_relative "support/bench"
require_relative "support/shop_trial"

module Bench
  # The whole loop of `config.autopilot` on the storefront: real traffic, a real Puma whose threads or
  # processes change while it runs, the collector's own experiment and its verdict. Then a sweep of the same
  # settings, which says what the best one would have been.
  class Autopilot
    # `slo` leaves room: a candidate must not be taken back only because it is noisy. `change`: OfferedLoad
    # from when the first candidate is kept, nil: none; `lever`: what it may set; `turn_s`: of an arm;
    # `longer`: how many times as long as the others it may take
    AutopilotCase = Data.define(
      :name, :about, :traffic, :processes, :threads, :range, :change, :lever, :turn_s, :longer
    ) do
      def initialize(change: nil, lever: "threads", turn_s: 30, longer: 1, **rest) = super

      def slo = "p95=3s"

      # @return [Integer] what is configured
      def before = (lever == "processes") ? processes : threads

      # @return [Array<Integer>] processes and threads with another value
      def setting(value) = (lever == "processes") ? [value, threads] : [processes, value]

      # @return [Array<OfferedLoad>] one after the other
      def loads = [traffic, change].compact
    end
    # `rate`: requests per second; `swept`: values of the sweep, besides those it had and found
    OfferedLoad = Data.define(:routes, :rate, :swept)
    # What the loop did. `lines`: Array of [minutes since the boot, String]; `changes`: Array of [minutes
    # since the boot, value that counts from then on], in order
    LoopOutcome = Data.define(:lines, :changes)
    # What it found for one load. `name`: of the case, with the number of the load if there are several;
    # `before`, `found`: values; `minutes`: until it counted, nil: it did before; `sweep`: p95 in ms by
    # value
    LoadOutcome = Data.define(:name, :before, :found, :minutes, :sweep) do
      # @return [Float] %, of what it found against the best of the sweep
      def worse = 100 * (sweep[found] / sweep.values.min - 1)
    end

    # Three requests in ten compute for 20 ms at once; the others need the GVL a hundred times for a moment,
    # and each time wait for all of those that are in flight.
    ORDERS = Holdup::Lab::Route.new(label: "OrdersController#index", weight: 7,
      path: ->(random) { "/orders?page=#{random.rand(20)}" })
    FORECAST = Holdup::Lab::Route.new(label: "ReportsController#forecast", weight: 3,
      path: "/reports/forecast?cpu_ms=20")
    HOG = OfferedLoad.new(rate: 38, routes: [ORDERS, FORECAST].freeze, swept: [2, 3, 4, 5].freeze)
    QUOTES = OfferedLoad.new(rate: 20, routes: [Holdup::Lab::Route.new(label: "QuotesController#show",
      path: ->(random) { "/quotes/#{random.rand(200)}" }, weight: 1)].freeze, swept: [2, 3, 5].freeze)
    SMOOTH = OfferedLoad.new(rate: 10, routes: ShopTrial::SMOOTH, swept: [3, 8].freeze)
    CASES = [
      AutopilotCase.new(name: "hog", about: "16 threads of one process, three requests in ten compute",
        traffic: HOG, processes: 1, threads: 16, range: 1..16),
      AutopilotCase.new(name: "waiting", about: "one thread for each of two processes, requests mostly wait",
        traffic: QUOTES, processes: 2, threads: 1, range: 1..8),
      AutopilotCase.new(name: "same", about: "five threads at little load, where threads make no difference",
        traffic: SMOOTH, processes: 1, threads: 5, range: 3..8),
      AutopilotCase.new(name: "mix",
        about: "as hog; once fewer threads are kept, more requests, which mostly wait",
        traffic: HOG, processes: 1, threads: 16, range: 1..16,
        change: QUOTES.with(rate: 80, swept: [5, 8, 16].freeze)),
      AutopilotCase.new(name: "cluster", about: "one process with one thread, requests mostly wait",
        traffic: QUOTES.with(rate: 12, swept: [1, 2, 3].freeze), processes: 1, threads: 1, range: 1..3,
        lever: "processes", turn_s: 120, longer: 4)
    ].freeze
    # All but the last two, which take longer.
    USUAL = %w[hog waiting same].freeze
    COLUMNS = ["case", "lever", "before", "found", "after, min", "p95 there, ms", "best of the sweep",
      "p95 there, ms", "found against best, %"].freeze
    SWEEP_COLUMNS = ["case", "value", "p95, ms"].freeze
    # Share by which what it finds may be worse than the best of the sweep.
    LIMIT = 3.0
    COLLECTOR = [RbConfig.ruby, *Fresh::LOAD_PATH,
      File.join(__dir__, "support/autopilot_collector.rb")].freeze
    # More than it may need: that it stays with what it found is shown, not enforced.
    CHANGES_PER_DAY = 6
    # Of one load; between two of them the state is read.
    SLICE_S = 30
    # After what it found for a changed load it must stay for so long.
    STAY_S = 600
    BOOT_S = 60
    STEP_S = 0.2

    # @param quick [Boolean] only to see that it runs: no verdict comes that soon
    def initialize(quick:)
      @longest_s = quick ? 40 : 60 * Integer(ENV.fetch("BENCH_MINUTES", 24))
      @sweep_s, @warm_up_s = quick ? [4, 2] : [60, 12]
      @quick = quick
      wanted = ENV.fetch("BENCH_PARTS", USUAL.join(",")).split(",")
      @cases = CASES.select { |one| wanted.include?(one.name) }
    end

    # @return [Result]
    def call
      @measured = together(@cases) do |one|
        Shop.open do |shop|
          outcome = loop_of(one, shop)
          [outcome, load_outcomes(one, shop, outcome)]
        end
      end
      found = @cases.flat_map { |one| found(one) }
      rows = @cases.flat_map { |one| found(one).map { |load| row(one, load) } }
      tables = [ResultTable.new(COLUMNS, rows),
        ResultTable.new(SWEEP_COLUMNS, found.flat_map { |load| sweep_rows(load) })]
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

    # @return [Array<LoadOutcome>]
    def found(one) = @measured.fetch(one).last

    def about
      "Puma of the storefront under an open load, with `config.autopilot` and turns of " \
        "#{@cases.map(&:turn_s).uniq.join(" or ")} s; the cases run at the same time, each for " \
        "#{@cases.map { |one| longest_s(one).ceildiv(60) }.max} minutes at most. A process counts as warm " \
        "after two minutes, the sizing is asked every 30 s, and #{CHANGES_PER_DAY} experiments may begin; " \
        "the rest is as in production. Then some values in a fresh server, each under the same requests " \
        "for #{@sweep_s} s: p95 of all, as their clients see it."
    end

    # @return [LoopOutcome]
    def loop_of(one, shop)
      Dir.mktmpdir("holdup-autopilot", Fresh::SHARED_MEMORY) do |dir|
        store = File.join(shop.folder, "autopilot-#{one.name}.sqlite3")
        target = boot(one, shop, dir:, store:)
        lines = watch(one, target, dir)
        load(target, one.loads.last, 0) # until workers have followed, and the store has it
        LoopOutcome.new(lines: lines + audit(store), changes: @changes)
      ensure
        shop.children.stop(one.name)
        shop.children.stop("collector of #{one.name}")
      end
    end

    # @return [Holdup::Lab::Load::Target]
    def boot(one, shop, dir:, store:)
      port = FreePorts.take
      log = File.join(shop.folder, "autopilot-#{one.name}.log")
      goal = "#{one.slo} #{one.lever}=#{one.range} turn=#{one.turn_s} changes_per_day=#{CHANGES_PER_DAY}"
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
      warm_s = Time.now.to_i + Holdup::WARM_UP_S
      state = Holdup::Autopilot::State.new(changed_s: warm_s)
      FileUtils.mkdir_p(dir)
      Holdup::AutopilotFolder.new(dir).write_state(state.to_json)
    end

    def longest_s(one) = @longest_s * one.loads.size * (@quick ? 1 : one.longer)

    # Loads until the autopilot has kept or taken back a value under the last of them, and then
    # for STAY_S if there were several, or until the time is over.
    # @return [Array<Array>] minutes since the start, and what is new
    def watch(one, target, dir)
      started_s = now_s
      ends_s = started_s + longest_s(one)
      said = []
      @changes = []
      while now_s < ends_s
        load(target, one.loads[@changes.size] || one.loads.last, (now_s - started_s).to_i)
        state = state_of(dir)
        minutes = ((now_s - started_s) / 60).round(1)
        text = describe(state)
        unless said.any? && said.last.last == text
          warn("bench: #{one.name}: #{text}")
          said << [minutes, text]
        end
        value = state.kept&.values&.last || one.before
        next if value == (@changes.last&.last || one.before)
        @changes << [minutes, value]
        next if @changes.size < one.loads.size
        break unless one.change
        ends_s = [ends_s, now_s + STAY_S].min
      end
      said
    end

    def load(target, traffic, seed)
      Holdup::Lab::Load::OpenLoop.new.call(target, routes: traffic.routes, rate: traffic.rate,
        seconds: [SLICE_S, @longest_s].min, seed:)
    end

    # @return [Holdup::Autopilot::State]
    def state_of(dir)
      Holdup::Autopilot::State.parse(Holdup::AutopilotFolder.new(dir).state)
    end

    # @return [String]
    def describe(state)
      case state.phase
      when :experiment
        "experiment: #{state.plan.lever} #{state.plan.values.join(" and ")} (#{state.plan.why})"
      when :kept then "kept: #{state.kept.lever} #{state.kept.values.join(" -> ")} (#{state.kept.why})"
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
        values = first.changed? ? "#{first.from} -> #{first.to}" : "stay #{first.to}"
        [nil, "#{first.event}: #{first.lever} #{values} in #{group.pids.size} process(es), #{first.who}: " \
          "#{first.why}"]
      end
    ensure
      store&.close
    end

    # @return [Array<LoadOutcome>] of a changed load only where the autopilot found something for the first
    def load_outcomes(one, shop, outcome)
      loads = one.loads.first(outcome.changes.size + 1)
      loads.each_with_index.map do |offered, index|
        before = index.zero? ? one.before : outcome.changes[index - 1].last
        minutes, found = outcome.changes[index] || [nil, before]
        name = loads.one? ? one.name : "#{one.name} #{index + 1}"
        values = [*(offered.swept unless @quick), (before if index.zero?), found].compact.uniq.sort
        swept = sweep(name, shop, one, values, offered)
        LoadOutcome.new(name:, before:, found:, minutes:, sweep: swept)
      end
    end

    # @return [Hash{Integer => Float}] ms, by value
    def sweep(name, shop, one, values, offered)
      trial = ShopTrial.new(shop, routes: offered.routes, warm_up_s: @warm_up_s)
      values.to_h do |number|
        warn("bench: #{name}, #{one.lever} #{number}")
        reading = trial.call(*one.setting(number), rate: offered.rate, seconds: @sweep_s, seed: 7)
        [number, reading.outcome.seen.total.p95_ns / 1e6]
      end
    end

    def row(one, load)
      best, best_ms = load.sweep.min_by(&:last)
      [load.name, one.lever, load.before.to_s, load.found.to_s, load.minutes&.to_s || "-",
        ms(load.sweep[load.found]), best.to_s, ms(best_ms), format("%+.1f", load.worse)]
    end

    def sweep_rows(load) = load.sweep.map { |value, p95_ms| [load.name, value.to_s, ms(p95_ms)] }

    def ms(value) = format("%.1f", value)

    def budgets
      @cases.flat_map do |one|
        found = found(one)
        next budget(one.name, "threads changed", 0, (found[0].found - one.threads).abs, "threads") if
          one.name == "same"
        against_best = found.map { |load| budget(load.name, "worse than the best", LIMIT, load.worse, "%") }
        next against_best unless one.change
        [*against_best, budget(one.name, "changes", 2, outcome(one).changes.size, "changes")]
      end
    end

    def budget(name, what, limit, actual, unit)
      Budget.new(what: "#{name}: #{what}", limit:, actual:, unit:)
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
