# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::UnitCallsTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new

  # Times of each of 50 calls in ms.
  def calls(name, queue, count: 50, remote: 2, stalled: 6, gc: 1, ruby: 1, **options)
    idle = Holdup::Histogram.of([remote * MS] * count)
    wall = Holdup::Histogram.of([(remote + stalled + gc + ruby) * MS] * count)
    running = Holdup::Histogram.of_sum((gc + ruby) * count * MS)
    stalled = Holdup::Histogram.of_sum(stalled * count * MS)
    SAMPLE.window(name, kind: :call, queue:, count:, histograms: {wall:, idle:, running:, stalled:},
      sums: {gc_ns: gc * count * MS, io_ns: idle.sum}, **options)
  end

  def units(name, count: 10, io: 20)
    SAMPLE.window(name, count:, sums: {io_ns: io * count * MS})
  end

  def all(calls, units = [units("A#a")]) = Holdup::Analysis::UnitCalls.all(calls, units:)

  def test_a_call_is_its_four_parts
    line = all([calls("A#a", "sql primary")]).first.lines.first
    assert_equal ["sql", "primary", 50], [line.system, line.target, line.count]
    assert_equal [500, 100, 300, 50, 50],
      [line.elapsed.sum, line.remote.sum, line.stalled_ns, line.gc_ns, line.ruby_ns].map { |ns| ns / MS }
  end

  def test_minutes_and_settings_are_added_up
    other = Holdup::Setting.new(attributes: {"threads" => 9})
    windows = [calls("A#a", "sql primary"), calls("A#a", "sql primary", start_s: SampleWindows::START_S + 60),
      calls("A#a", "sql primary", setting: other)]
    assert_equal [150], all(windows).first.lines.map(&:count)
  end

  def test_what_took_longest_comes_first
    windows = [calls("A#a", "redis"), calls("A#a", "sql", count: 60), calls("B#b", "sql", count: 200)]
    found = all(windows, [units("A#a"), units("B#b")])
    assert_equal %w[B#b A#a], found.map(&:name)
    assert_equal %w[sql redis], found.last.lines.map(&:system)
  end

  def test_calls_of_units_that_were_not_chosen_are_left_out
    assert_empty all([calls("B#b", "sql")])
  end

  def test_io_of_no_call
    found = all([calls("A#a", "sql")]).first
    assert_equal [10, 200, 100], [found.units, found.io_ns / MS, found.other_io_ns / MS]
    assert_equal 0, all([calls("A#a", "sql", count: 500)]).first.other_io_ns
  end

  def test_repeated_queries_are_means_over_all_requests_of_the_name
    queries = {"app/a.rb:1 A#a" => 30, "app/b.rb:2 B#b" => 10}.map do |place, count|
      histograms = {wall: 4, idle: 1, stalled: 2, running: 1}
        .transform_values { |ms| Holdup::Histogram.of_sum(ms * count * MS) }
      SAMPLE.window("A#a", kind: :repeat, queue: place, count:, histograms:)
    end
    units = [SAMPLE.window("A#a", count: 10, histograms: {wall: Holdup::Histogram.of_sum(200 * MS)})]
    found = Holdup::Analysis::UnitCalls::RepeatedQuery.all(queries, units:)
    assert_equal ["app/a.rb:1 A#a", "app/b.rb:2 B#b"], found.map(&:place)
    most = found.first
    assert_equal [3.0, 0.6], [most.each, most.share]
    assert_equal [120, 30, 60, 30],
      [most.elapsed_ns, most.remote_ns, most.stalled_ns, most.ruby_ns].map { |ns| ns / MS }
    assert_empty Holdup::Analysis::UnitCalls::RepeatedQuery.all(queries, units: [])
  end

  def test_misleading_is_what_mostly_waits_for_the_gvl
    cases = {{} => true, {stalled: 1, ruby: 6} => false, {count: 20} => false,
             {remote: 40, stalled: 6} => false}
    cases.each do |shape, expected|
      assert_equal expected, all([calls("A#a", "sql", **shape)]).first.lines.first.misleading?, shape.to_s
    end
  end

  # 500 queries of 1 ms, of which a fiftieth stalls 60 ms.
  def repeated_queries
    wall = Holdup::Histogram.of([1 * MS] * 490 + [61 * MS] * 10)
    SAMPLE.window("A#a", kind: :call, queue: "sql", count: 500, histograms: {
      wall:, idle: Holdup::Histogram.of([1 * MS] * 500), stalled: Holdup::Histogram.of_sum(600 * MS),
      running: Holdup::Histogram.of_sum(0)
    })
  end

  def test_misleading_as_a_sum_where_a_request_makes_many_calls
    of_each = ->(count) { all([repeated_queries], [units("A#a", count:)]).first.lines.first }
    found = of_each.call(10).misleading
    assert_equal :sum, found.of
    assert_in_delta 110 * MS, found.elapsed_ns, MS
    assert_in_delta 50 * MS, found.remote_ns, MS
    refute_predicate of_each.call(500), :misleading?
  end

  def test_misleading_by_p95_where_each_call_stalls
    assert_equal :p95, all([calls("A#a", "sql")]).first.lines.first.misleading.of
  end
end
