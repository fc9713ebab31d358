# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector::RecentRoundsTest < Minitest::Test
  S = 1_000_000_000
  START = 1_790_000_040
  SETTING = Holdup::Setting.new(attributes: {"server" => "puma", "threads" => 5})
  Snapshot = Data.define(:setting)

  def setup
    @rounds = Holdup::Collector::RecentRounds.new(host: "a")
  end

  def window(name, wall_ms, kind: :request, cpu_ns: 0)
    series = Holdup::Series.new(kind:, name:)
    empty = Holdup::Window.empty(series:, setting: SETTING, host: "a", start_s: START, seconds: 60)
    wall = Holdup::Histogram.of(wall_ms.map { |ms| ms * 1_000_000 })
    histograms = empty.histograms.merge(wall:, running: Holdup::Histogram.of_sum(cpu_ns))
    empty.with(count: wall_ms.size, sums: empty.sums.merge(cpu_ns:), histograms:)
  end

  # @param at_s [Numeric] since START
  def round(at_s, *windows, processes: 2)
    figures = @rounds.call(windows, [Snapshot.new(setting: SETTING)] * processes, ((START + at_s) * S).to_i)
    @rounds.committed
    figures
  end

  def test_the_first_round_has_none_because_it_is_unknown_since_when_it_counts
    assert_nil round(0.1, window("A", [5]))
    figures = round(10.1, window("A", [5, 7]))
    assert_equal [START, 10_000], [figures.start_s, figures.length_ms]
    assert_equal [["A", 2]], figures.series.map { |one| [one.series.name, one.count] }
  end

  def test_neither_has_one_after_a_failure_or_a_long_pause
    round(0.1)
    @rounds.forget
    assert_nil round(10.1, window("A", [5]))
    assert_nil round(100.1, window("A", [5]))
    assert round(110.1, window("A", [5]))
  end

  # What is not committed is read again, with what came meanwhile.
  def test_a_round_that_was_not_committed_does_not_count
    round(0.1)
    @rounds.call([window("A", [5])], [], (START + 3) * S)
    figures = round(10.1, window("A", [5, 7]))
    assert_equal [10_000, 2], [figures.length_ms, figures.series.first.count]
  end

  def test_rounds_of_the_same_ten_seconds_are_one
    round(0.1)
    round(3.1, window("A", [5]))
    figures = round(10.1, window("A", [7]))
    assert_equal [START, 10_000, 2], [figures.start_s, figures.length_ms, figures.series.first.count]
    assert_equal START + 10, round(20.1, window("A", [9])).start_s
  end

  def test_the_strongest_series_are_apart_and_the_others_summed_by_kind
    names = Array.new(30) { |at| format("A%02d", at) }
    round(0.1)
    figures = round(10.1, *names.each_with_index.map { |name, at| window(name, [at + 1]) },
      window("ReportJob", [1, 1], kind: :job))
    assert_equal names.last(20).sort, figures.series.map { |one| one.series.name }.sort
    assert_equal({request: 10, job: 2}, figures.others.transform_values(&:count))
    following = round(20.1, window("A00", [1]))
    assert_equal names.last(20).sort, following.series.map { |one| one.series.name }.sort,
      "of those of which none ended it is known"
    assert_equal 0, following.series.sum(&:count)
    assert_equal 1, following.others.fetch(:request).count
  end

  def test_a_series_that_is_new_and_strong_comes_in
    round(0.1)
    round(10.1, *Array.new(20) { |at| window("A#{at}", [5]) })
    names = round(20.1, window("B", [900])).series.map { |one| one.series.name }
    assert_includes names, "B"
    assert_equal 20, names.size
  end

  # Units that ran inside others count once in what processes have.
  def test_the_total_is_that_of_the_processes
    round(0.1)
    figures = round(10.1, window("A", [5]), window("worker 0", [5, 5], kind: :process))
    assert_equal 2, figures.total.count
  end

  def test_how_long_gvls_were_held_of_all_processes_that_lived
    round(0.1)
    held = round(10.1, window("worker 0", [5], kind: :process, cpu_ns: 3 * S),
      window("thread:x", [], kind: :account, cpu_ns: S)).held
    assert_equal ["puma"], held.keys
    assert_equal [4 * S, 20 * S, 100 * S], held.fetch("puma").to_h.values
  end

  def pair(victim, causer, ns)
    series = Holdup::Series.new(kind: :pair, name: victim, queue: causer)
    empty = Holdup::Window.empty(series:, setting: SETTING, host: "a", start_s: START, seconds: 60)
    empty.with(histograms: empty.histograms.merge(stalled: Holdup::Histogram.of_sum(ns)))
  end

  def stalled(window, ns)
    window.with(histograms: window.histograms.merge(stalled: Holdup::Histogram.of_sum(ns)))
  end

  def test_for_whom_all_threads_waited
    round(0.1)
    waits = {%w[A Sales] => 5, %w[B Sales] => 6, %w[A thread:x] => 3, %w[A (nobody)] => 2,
             %w[A (others)] => 1}
    waited = round(10.1, *waits.map { |(victim, causer), ns| pair(victim, causer, ns) },
      window("Sales", [5], cpu_ns: 7), window("thread:x", [], kind: :account, cpu_ns: 4),
      stalled(window("worker 0", [5], kind: :process), 15),
      stalled(window("main", [], kind: :account), 2)).waited
    assert_equal [17, 2], [waited.ns, waited.nobody_ns]
    assert_equal({"Sales" => [:request, 11, {"puma" => 7}], "thread:x" => [:account, 3, {"puma" => 4}]},
      waited.holders.transform_values { |holder| holder.to_h.values })
  end

  def test_a_holder_for_whom_nobody_waits_in_a_round_stays_and_the_weakest_go
    round(0.1)
    round(10.1, *Array.new(10) { |at| pair("A", "Sales#{at}", 100 + at) })
    holders = round(20.1, pair("A", "Late", 104)).waited.holders
    assert_equal 10, holders.size
    assert_equal [104, 0], holders.values_at("Late", "Sales9").map(&:waited_ns)
    refute_includes holders.keys, "Sales0"
  end
end
