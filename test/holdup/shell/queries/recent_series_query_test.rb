# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::RecentSeriesQueryTest < Minitest::Test
  S = 1_000_000_000
  START = 1_790_000_040
  SETTING = Holdup::Setting.new(attributes: {"server" => "puma"})
  Snapshot = Data.define(:setting)

  def setup
    @store = Holdup::Store.open("memory:")
    @rounds = Hash.new { |rounds, host| rounds[host] = Holdup::Collector::RecentRounds.new(host:) }
  end

  def teardown = @store.close

  def window(name, wall_ms, kind: :request, cpu_ns: 0)
    series = Holdup::Series.new(kind:, name:)
    empty = Holdup::Window.empty(series:, setting: SETTING, host: "a", start_s: START, seconds: 60)
    wall = Holdup::Histogram.of(wall_ms.map { |ms| ms * 1_000_000 })
    histograms = empty.histograms.merge(wall:, running: Holdup::Histogram.of_sum(cpu_ns))
    empty.with(count: wall_ms.size, sums: empty.sums.merge(cpu_ns:), histograms:)
  end

  # Rounds of a host, ten seconds apart: A and B by turns, and all of it by process.
  def record(host: "a", rounds: 12, more: [])
    (0..rounds).each do |at|
      own = [window((at.odd? ? "A" : "B"), [100] * at), *more]
      windows = [*own, window("worker 0", [100] * own.sum(&:count), kind: :process, cpu_ns: S)]
      now_ns = (START + at * 10) * S
      figures = @rounds[host].call(windows, [Snapshot.new(setting: SETTING)], now_ns)
      @rounds[host].committed
      checkpoint = Holdup::CollectorCheckpoint.new(host:, folder: "f", at_ns: now_ns, units: {})
      @store.commit([], {}, recent: figures, collector_checkpoint: checkpoint)
    end
  end

  # A host's rounds: seconds that each took => units that ended in it.
  def record_rounds(host, rounds)
    at_s = START
    figures_of(host, at_s, 0)
    rounds.each do |seconds, count|
      at_s += seconds
      @store.commit([], {}, recent: figures_of(host, at_s, count))
    end
  end

  def figures_of(host, at_s, count)
    windows = [window("A", [100] * count), window("worker 0", [100] * count, kind: :process)]
    @rounds[host].call(windows, [], at_s * S).tap { @rounds[host].committed }
  end

  def series(from_s: START, to_s: START + 120, since_s: from_s, **filter)
    Holdup::Queries::RecentSeriesQuery.call(@store, from_s:, to_s:, since_s:,
      filter: Holdup::Analysis::UnitFilter.new(**filter))
  end

  def test_each_step_has_what_ended_in_it
    record
    found = series
    assert_equal 10, found.step_s
    assert_equal (0...12).map { |at| START + at * 10 }, found.at_s
    assert_equal (1..12).map { |count| count / 10.0 }, found.per_second
    assert_equal [100_000_000], found.quantiles(:wall)[:p95].uniq
    assert_equal ["puma"], found.gvl.keys
    assert_equal [0.1], found.gvl.fetch("puma").map { |share| share.round(3) }.uniq
  end

  def test_hosts_add_up
    %w[a b].each { |host| record(host:) }
    assert_equal (1..12).map { |count| count / 5.0 }, series.per_second
  end

  def test_one_endpoint_or_kind_alone
    record(more: [window("ReportJob", [5], kind: :job)])
    assert_equal [0.1, 0.0, 0.3, 0.0], series(kind: :request, name: "A").per_second.first(4)
    assert_equal [0.1] * 4, series(kind: :job).per_second.first(4)
    assert_equal [0.1, 0.2, 0.3, 0.4], series(kind: :request).per_second.first(4)
  end

  # An endpoint that is not among the strongest is in what is summed.
  def test_minutes_have_to_do_for_a_series_that_is_not_kept_apart
    strong = Array.new(20) { |at| window("Z#{at}", [9_000]) }
    record(more: strong)
    assert_nil series(kind: :request, name: "A")
    assert_equal 1.2 + 2, series(kind: :request).per_second.last
  end

  def test_minutes_have_to_do_for_a_longer_span_an_older_one_and_a_number_of_threads
    record
    assert_nil series(to_s: START + 3_700)
    assert_nil series(from_s: START - 600), "they were measured before"
    assert series(from_s: START - 600, since_s: START), "nothing was"
    assert_nil series(threads: 5)
    assert_nil series(from_s: START - 7_200, to_s: START - 3_600)
  end

  def test_minutes_have_to_do_where_a_host_keeps_no_rounds
    record
    checkpoint = Holdup::CollectorCheckpoint.new(host: "b", folder: "f", at_ns: (START + 60) * S, units: {})
    @store.commit([], {}, collector_checkpoint: checkpoint)
    assert_nil series
  end

  # Of one host every round takes twenty seconds, of the other ten; two units end each second on each.
  def test_a_late_round_counts_as_the_time_that_it_took
    record_rounds("a", [[20, 40]] * 6)
    record_rounds("b", [[10, 20]] * 12)
    assert_equal [4.0], series.per_second.compact.uniq
    assert_equal [4.0], series(kind: :request).per_second.uniq
  end

  def test_a_late_round_leaves_no_gap_and_no_peak
    record_rounds("a", [[10, 10], [10, 10], [10, 10], [10, 10], [25, 25], [10, 10], [10, 10], [10, 10]])
    assert_equal [1.0], series.per_second.uniq
  end

  def test_a_step_without_a_round_is_a_gap
    record(rounds: 6)
    @rounds.clear
    (8..14).each do |at|
      figures = @rounds["a"].call([window("worker 0", [100], kind: :process)], [], (START + at * 10) * S)
      @rounds["a"].committed
      @store.commit([], {}, recent: figures)
    end
    rates = series(to_s: START + 140).per_second
    assert_equal [6, 7], rates.each_index.select { |at| rates[at].nil? }
  end
end
