# frozen_string_literal: true

require "test_helper"
require "holdup/model/recent_figures"

class Holdup::RecentFiguresTest < Minitest::Test
  Held = Holdup::RecentFigures::HeldTime
  START = 1_790_000_040

  def series(name, kind: :request) = Holdup::Series.new(kind:, name:)

  # @param wall_ms [Array<Integer>] of units
  def window(series, wall_ms, start_s: START)
    histogram = Holdup::Histogram.of(wall_ms.map { |ms| ms * 1_000_000 })
    empty = Holdup::Window.empty(series:, host: "a", start_s:, seconds: 10)
    histograms = empty.histograms.merge(wall: histogram, queued: Holdup::Histogram.of([1_000_000]))
    empty.with(count: wall_ms.size, sums: empty.sums.merge(cpu_ns: 7), histograms:)
  end

  def figures(start_s: START, names: ["A"], held: {"puma" => Held.new(held_ns: 5, covered_ns: 10)},
    waited: nil)
    all = Holdup::RecentFigures.sum([window(series("A"), [5], start_s:)], Holdup::RecentFigures::ALL)
    Holdup::RecentFigures.new(host: "a", start_s:, length_ms: 5_000, total: all, held:, waited:,
      series: names.map { |name| Holdup::RecentFigures.sum([window(series(name), [5])], series(name)) },
      others: {request: all})
  end

  def test_a_sum_has_buckets_of_elapsed_times_and_means_of_the_others
    sum = Holdup::RecentFigures.sum([window(series("A"), [5, 7]), window(series("B"), [9])], series("C"))
    assert_equal series("C"), sum.series
    assert_equal [3, 14], [sum.count, sum.sums[:cpu_ns]]
    assert_equal Holdup::Histogram.of([5, 7, 9].map { |ms| ms * 1_000_000 }), sum.histograms[:wall]
    assert_in_delta 1_000_000, sum.histograms[:queued].mean
    assert_equal sum.with(count: 6), Holdup::RecentFigures.sum([sum, sum], series("C")).with(
      sums: sum.sums, histograms: sum.histograms
    ), "sums add up again"
  end

  def test_a_late_round_speaks_for_the_steps_beside_it_that_have_none
    late = figures(start_s: START + 20).with(length_ms: 31_000)
    known = Holdup::RecentFigures.by_step([figures(start_s: START), late])
    assert_equal [START, START + 10, START + 20, START + 30], known.keys.sort
    assert_equal [late], known.fetch(START + 10)
    assert_equal [5_000], known.fetch(START).map(&:length_ms), "a round of its own comes first"
  end

  def test_a_ring_begins_again_after_an_hour
    slots = [0, 10, 3_590, 3_600].map { |at_s| figures(start_s: at_s).slot }
    assert_equal [0, 1, 359, 0], slots
  end

  def test_two_rounds_of_the_same_ten_seconds_are_one
    merged = figures.merge(figures(names: %w[A B], held: {"puma" => Held.new(held_ns: 1, covered_ns: 2),
                                                          "-" => Held.new(held_ns: 3, covered_ns: 4)}))
    assert_equal 10_000, merged.length_ms
    assert_equal({"A" => 2, "B" => 1}, merged.series.to_h { |window| [window.series.name, window.count] })
    assert_equal [2, 2], [merged.total.count, merged.others.fetch(:request).count]
    assert_equal({"puma" => [6, 12, 0], "-" => [3, 4, 0]},
      merged.held.transform_values { |time| time.to_h.values })
  end

  def waited(ns, **holders)
    named = holders.to_h do |name, waited_ns|
      held = {"puma" => 2 * waited_ns}
      [name.to_s, Holdup::RecentFigures::HolderTime.new(kind: :request, waited_ns:, held:)]
    end
    Holdup::RecentFigures::WaitedTime.new(ns:, nobody_ns: 1, holders: named)
  end

  def test_waits_for_each_holder_add_up
    merged = figures(waited: waited(10, A: 4)).merge(figures(waited: waited(20, A: 5, B: 6))).waited
    assert_equal [30, 2], [merged.ns, merged.nobody_ns]
    assert_equal({"A" => [9, 18], "B" => [6, 12]},
      merged.holders.transform_values { |holder| [holder.waited_ns, holder.held.fetch("puma")] })
    assert_nil figures(waited: waited(10)).merge(figures).waited, "of an earlier version"
  end
end
