# frozen_string_literal: true

require "holdup/loader"
require "sqlite3"

module Bench
  # What a host of a fleet writes in a week: of each minute windows of its endpoints, whom each waited for,
  # and the ten slowest requests of each.
  class Week
    NS = 1_000_000_000
    MS = 1_000_000
    DAY_S = 86_400
    DAYS = 7
    # Late in a day, so that a week has most to read: hours and minutes at its ends.
    NOW_S = 20_700 * DAY_S + 17 * 3600 + 35 * 60
    MINUTES_FROM_S = (NOW_S - 2 * DAY_S) / 3600 * 3600
    LAST_S = NOW_S / 3600 * 3600
    ENDPOINTS = 20
    # Whom each waits for: others, itself, and nobody (hand-off).
    HOLDERS = 16
    PROCESSES = 16
    HOST = "web-1"
    SETTING = Holdup::Setting.new(attributes: {"ruby" => "3.4.5", "engine" => "ruby", "server" => "puma",
                                               "threads" => 5, "vcpus" => 4})

    # @param days [Numeric]
    def initialize(days: DAYS)
      @days = days
      @random = Random.new(1)
      @units = Array.new(ENDPOINTS) { |index| Holdup::Series.new(kind: :request, name: name(index)) }
      @pairs = @units.flat_map { |victim| pairs_of(victim) }
      @processes = Array.new(PROCESSES) do |index|
        Holdup::UnitSample::SampledProcess.new(pid: 100 + index, since_ns: (NOW_S - DAYS * DAY_S) * NS)
      end
    end

    # @param path [String] of a new store
    # @return [Array<Float>] seconds of CPU that each commit of a single minute took
    def fill(path)
      from_s = MINUTES_FROM_S
      store = Holdup::Store.open(path)
      fill_older(store, from_s)
      (from_s...from_s + DAY_S).step(3600) { |at_s| commit(store, at_s, 3600) } if @days > 2
      finish(store, path)
    ensure
      store&.close
    end

    # The second day of minutes has the rows of the first one, which are as good as others; the last minutes
    # come one by one, as from a collector.
    def finish(store, path)
      repeat_day(path) if @days > 2
      store.rollup(LAST_S)
      store.prune(LAST_S)
      (LAST_S...NOW_S / 60 * 60).step(60).map { |at_s| commit(store, at_s, 60) }
    end

    private

    # As they are after the roll-up, and as `holdup store copy` writes them.
    def fill_older(store, minutes_from_s)
      store.rollup(minutes_from_s + Holdup::Store::Tier::Rollup::GRACE_S)
      store.kept_from({60 => minutes_from_s})
      since_s = [NOW_S - (@days * DAY_S).round, minutes_from_s].min / 3600 * 3600
      (since_s...minutes_from_s).step(3600) { |at_s| store.commit(hour(at_s, 300), {}, lengths: [300]) }
    end

    def repeat_day(path)
      database = SQLite3::Database.new(path)
      database.busy_timeout = 60_000
      minutes = " AND seconds = 60"
      {"windows" => minutes, "pair_blocks" => minutes, "slowest_units" => ""}.each do |table, more|
        columns = database.table_info(table).map { |column| column["name"] } - ["id"]
        moved = columns.map { |name| (name == "start_s") ? "start_s + #{DAY_S}" : name }
        database.execute("INSERT INTO #{table} (#{columns.join(", ")}) SELECT #{moved.join(", ")} " \
          "FROM #{table} WHERE start_s >= #{MINUTES_FROM_S} AND start_s < #{LAST_S - DAY_S}#{more}")
      end
    ensure
      database&.close
    end

    def commit(store, at_s, seconds)
      minutes = (at_s...at_s + seconds).step(60)
      windows = minutes.flat_map { |start_s| windows(start_s, 60) }
      slowest = minutes.flat_map { |start_s| slowest(start_s) }
      timed do
        store.commit(windows, {}, slowest:)
        # As the collector, which looks for what is old when it has rolled up.
        store.prune(at_s + seconds) if store.rollup(at_s + seconds).positive?
      end
    end

    def hour(at_s, seconds)
      (at_s...at_s + 3600).step(seconds).flat_map { |start_s| windows(start_s, seconds) }
    end

    def timed
      from = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      yield
      Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - from
    end

    def name(index) = "Controller#{index}#action"

    def pairs_of(victim)
      others = @units.rotate(@units.index(victim)).first(HOLDERS).map(&:name)
      [*others.drop(1), "(nobody)", victim.name].map do |queue|
        Holdup::Series.new(kind: :pair, name: victim.name, queue:)
      end
    end

    def windows(start_s, seconds) = unit_windows(start_s, seconds) + pair_windows(start_s, seconds)

    def unit_windows(start_s, seconds)
      @units.map { |series| drawn.sample(random: @random).with(series:, start_s:, seconds:) }
    end

    def pair_windows(start_s, seconds)
      @pairs.map do |series|
        empty = empty_window(series, start_s, seconds)
        stalled = Holdup::Histogram.of_sum(@random.rand(1..400) * MS + @random.rand(MS))
        empty.with(histograms: {**empty.histograms, stalled:})
      end
    end

    def empty_window(series, start_s, seconds)
      Holdup::Window.empty(series:, setting: SETTING, host: HOST, start_s:, seconds:)
    end

    # Histograms that take long to draw, for all minutes.
    def drawn
      @drawn ||= Array.new(50) do
        wall = Holdup::Histogram.of(Array.new(300) { (20 * MS * Math.exp(@random.rand(-2.0..2.0))).round })
        part = ->(share) { wall.with(sum: (wall.sum * share).round) }
        empty = empty_window(@units.first, 0, 60)
        histograms = {wall:, running: part[0.3], stalled: part[0.2], idle: part[0.5], queued: part[0.05],
                      longest_hold: part[0.1]}
        sums = {cpu_ns: (wall.sum * 0.3).round, io_ns: (wall.sum * 0.5).round,
                caused_ns: (wall.sum * 0.2).round, acquisitions: 3000}
        empty.with(count: 300, histograms:, sums: empty.sums.merge(sums))
      end
    end

    def slowest(start_s)
      Holdup::SlowestBlock.of(@units.flat_map { |series| Array.new(10) { slow_unit(series, start_s) } })
    end

    # With a request id and a trace, two holders and a database.
    def slow_unit(series, start_s)
      stalled_ns, idle_ns, running_ns = Array.new(3) { @random.rand(1..300) * MS + @random.rand(MS) }
      unit = Holdup::UnitSample.new(series:, setting: SETTING, host: HOST,
        process: @processes.sample(random: @random), weight: 1.0,
        start_ns: start_s * NS + @random.rand(50 * NS),
        running_ns:, cpu_ns: running_ns - @random.rand(MS), idle_ns:, stalled_ns:,
        acquisitions: @random.rand(10..60), longest_hold_ns: running_ns / 2, gc_ns: @random.rand(9 * MS),
        queued_ns: @random.rand(30 * MS), in_flight_milli: @random.rand(1000..5000), trace: @random.hex(16))
      Holdup::SlowUnit.new(unit:, id: @random.uuid, io_ns: idle_ns, lock_ns: 0, sleep_ns: 0, native_ns: 0,
        pool_wait_ns: 0, parts: parts(stalled_ns, idle_ns))
    end

    def parts(stalled_ns, idle_ns)
      holders = @units.sample(2, random: @random).map(&:name)
      held = [stalled_ns * 2 / 3, stalled_ns / 4]
      waits = holders.zip(held).map { |name, ns| Holdup::SlowUnit::Part.new(kind: :pair, name:, ns:) }
      [*waits, Holdup::SlowUnit::Part.new(kind: :call, name: "sql primary", ns: idle_ns)]
    end
  end
end
