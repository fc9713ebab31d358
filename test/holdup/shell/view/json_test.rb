# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::JsonTest < Minitest::Test
  DISTRIBUTIONS = %w[wall_ns running_ns stalled_ns idle_ns queued_ns longest_hold_ns].freeze
  SUMS = %w[cpu_ns starved_ns io_ns lock_ns sleep_ns native_ns gc_ns caused_ns acquisitions
    preemptions].freeze

  def report(windows = SampleWindows.new.to_a, **options)
    sample = SampleWindows.new
    summary = Holdup::Analysis::Summary.new(windows, from_s: sample.from_s, to_s: sample.to_s, **options)
    JSON.parse(Holdup::View::Json.new(summary).call)
  end

  def test_the_keys_of_schema_1
    made = report
    assert_equal [1, "2026-09-21T14:14:00Z", "2026-09-21T14:17:00Z"], made.values_at("schema", "from", "to")
    keys = %w[
      schema from to by uncollected verdict drifts marks settings totals series calls transactions
      repeated_queries methods slowest pairs pool_pairs lock_pairs lock_places machines pools
      pool_cpu processes jit
    ]
    assert_equal keys.sort, made.keys.sort
    [made["totals"], *made["series"]].each do |figures|
      assert_empty %w[count errors] + DISTRIBUTIONS + SUMS - figures.keys
      DISTRIBUTIONS.each { |key| assert_equal %w[sum mean p50 p90 p95 p99 max], figures[key].keys }
    end
    made["series"].each { |series| assert_equal %w[name kind queue], series.keys.first(3) }
    assert_equal %w[name suffered_ns caused_ns running_ns], made["totals"]["accounts"].first.keys
    assert_equal "f4e431c32ac5", made["settings"].first["fingerprint"]
  end

  def test_caused_and_handoff_are_what_stalled
    totals = report["totals"]
    accounts = totals["accounts"]
    caused = totals["caused_ns"] + totals["handoff_ns"] + accounts.sum { |account| account["caused_ns"] }
    assert_equal totals["stalled_ns"]["sum"] + accounts.sum { |account| account["suffered_ns"] }, caused
  end

  def test_transactions_and_the_calls_in_them
    windows = {transaction: ["sql primary", 40, 12], transaction_call: ["http api", 20, 20]}
      .map do |kind, (queue, wall, idle)|
        histograms = {wall:, idle:, running: wall - idle}
          .transform_values { |ms| Holdup::Histogram.of([ms * 1_000_000] * 7) }
        SampleWindows.new.window("OrdersController#index", kind:, queue:, count: 7, errors: 1, histograms:)
      end
    line = report(transactions: windows)["transactions"].first
    assert_equal ["primary", 7, 1], line.values_at("database", "count", "rolled_back")
    parts = %w[database_ns other_calls_ns other_waits_ns stalled_ns starved_ns ruby_ns]
    assert_equal line["open_ns"]["sum"], line.values_at(*parts).sum
    assert_equal ["api"], line["other_calls"].map { |call| call["target"] }
  end

  # Two minutes with an hour between them in which nothing ran.
  def test_the_rate_is_of_the_seconds_that_it_names
    spans = [[SampleWindows::START_S, SampleWindows::START_S + 60.5],
      [SampleWindows::START_S + 3660, SampleWindows::START_S + 3720]]
    totals = report(coverage: Holdup::Analysis::MeasuredTime.of_any(spans))["totals"]
    assert_in_delta 120.5, totals["measured_s"]
    assert_in_delta totals["count"], totals["per_second"] * totals["measured_s"], 0.5
  end

  def test_the_states_of_each_series_add_up
    report["series"].each do |series|
      states = series.values_at("cpu_ns", "starved_ns", "io_ns", "lock_ns", "sleep_ns",
        "native_ns").sum + series["stalled_ns"]["sum"]
      assert_equal series["wall_ns"]["sum"], states, series["name"]
    end
  end

  def test_nothing_measured_has_the_same_shape
    empty = report([])
    assert_equal report["totals"].keys, empty["totals"].keys
    assert_equal [0, nil, []], [empty["totals"]["count"], empty["totals"]["wall_ns"]["p50"], empty["series"]]
  end

  def test_cpu_time_that_is_unknown_is_null
    histograms = {wall: Holdup::Histogram.of([5_000]), running: Holdup::Histogram.of([5_000])}
    known, unknown = [{cpu_ns: 4_000, starved_ns: 1_000}, {io_ns: 7}].map do |sums|
      report([SampleWindows.new.window("GET /", count: 1, histograms:, sums:)])["series"].first
    end
    assert_equal [4_000, 1_000, 0], known.values_at("cpu_ns", "starved_ns", "native_ns")
    assert_equal [nil, nil, nil, 7], unknown.values_at("cpu_ns", "starved_ns", "native_ns", "io_ns")
  end

  def test_a_queue_time_that_is_unknown_is_null
    unknown = SampleWindows.new.window("GET /", count: 1, histograms: {wall: Holdup::Histogram.of([5_000])})
    assert_equal [nil], report([unknown])["series"].first["queued_ns"].values.uniq
    assert_equal 0, report([])["totals"]["queued_ns"]["sum"], "nothing was measured, so nothing is missing"
  end

  def test_who_stalled_whom_and_the_machine
    made = report(SampleWindows.new.to_a, samples: SampleProcesses.new.to_a, pairs: SampleWindows.new.pairs)
    assert_equal %w[causer victim stall_ns share], made["pairs"].first.keys
    units = made["pairs"].select { |pair| pair.dig("victim", "kind") == "request" }
    assert_in_delta made["totals"]["stalled_ns"]["sum"], units.sum { |pair| pair["stall_ns"] }, units.size * 3
    assert_equal [["web-1", 4.0, 3, 0.425, 0.9395]],
      made["machines"].map { |one|
        [*one.values_at("host", "vcpus", "processes", "cpu_share"),
          one.dig("ceiling", "low")]
      }
    assert_equal [["sidekiq", "default", 10.0], ["puma", "web", 10.0], ["sidekiq", "pdf", 1.0]],
      made["pools"].map { |pool| pool.values_at("server", "name", "max") }
    assert_equal [["worker 0", 0.5], ["worker 1", 0.6], ["pid 700", 0.5]],
      made["processes"].map { |one| one.values_at("name", "cpu_share") }
    assert_in_delta made["totals"]["wall_ns"]["sum"] / 1e9 / (180 * 10), made["totals"]["capacity_share"],
      0.001
  end

  # Stall without pairs is from before they were measured; without stall there are none.
  def test_pairs_that_were_not_recorded_are_null
    waited = Holdup::Histogram.of([5_000])
    stalled, connected = [{stalled: waited}, {}].map do |histograms|
      sums = histograms.empty? ? {pool_wait_ns: 4} : {}
      [SampleWindows.new.window("GET /", count: 1, histograms: {wall: waited, **histograms}, sums:)]
    end
    assert_equal [nil, []], report(stalled).values_at("pairs", "pool_pairs")
    assert_equal [[], nil], report(connected).values_at("pairs", "pool_pairs")
  end

  def test_hostile_names_are_valid_json
    histograms = {wall: Holdup::Histogram.of([5_000])}
    hostile = SampleWindows.new.window("\xff\0\e", count: 1, histograms:)
    assert_equal "???", report([hostile])["series"].first["name"]
  end
end
