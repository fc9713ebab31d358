# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::TimeSeriesTest < Minitest::Test
  MS = 1_000_000
  START_S = SampleWindows::START_S
  SAMPLE = SampleWindows.new
  TimeSeries = Holdup::Analysis::TimeSeries

  # Units of `wall` ms each, half of it on a CPU and half stalled.
  def window(step = 0, count: 60, wall: 10, seconds: 60)
    half = Holdup::Histogram.of([wall * MS / 2] * count)
    histograms = {wall: Holdup::Histogram.of([wall * MS] * count), running: half, stalled: half}
    SAMPLE.window("A", start_s: START_S + step * 60, count:, sums: {cpu_ns: count * wall * MS / 2},
      histograms:).with(seconds:)
  end

  # @param steps [Array<Window, nil>] one for each minute
  def series(*steps, to_s: nil, **options)
    at_s = steps.each_index.map { |index| START_S + index * 60 }
    windows = at_s.zip(steps).to_h.compact
    TimeSeries.new(at_s:, step_s: 60, to_s: to_s || START_S + steps.size * 60, windows:, **options)
  end

  def measured(from, to)
    Holdup::Analysis::MeasuredTime.whole(START_S + from, START_S + to)
  end

  def test_each_list_has_a_value_for_each_step
    found = series(window, nil, window(2), window(3, count: 0)).to_h
    lists = [*found[:shares].values, found[:per_second], *found[:wall_ns].values,
      *found[:queued_ns].values, *found[:stalled_ns].values]

    lists.each { |list| assert_equal found[:at_s].size, list.size }
  end

  def test_the_newest_steps_have_the_figures_that_they_have_among_all
    windows = [window, nil, window(2, wall: 400), window(3, wall: 30, seconds: 20)]
    caused = {"A#b" => {START_S => 5, START_S + 120 => 7 * MS}}
    all = series(*windows, gvl: {"puma" => [0.1, 0.2, nil, nil]}, coverage: measured(0, 200), caused:)
    all.to_h # computed before
    newest = all.newest(2)
    assert_equal all.at_s.last(2), newest.at_s
    %i[per_second shares method_stalls].each do |figure|
      expected = all.public_send(figure)
      expected = expected.is_a?(Hash) ? expected.transform_values { |list| list.last(2) } : expected.last(2)
      assert_equal expected, newest.public_send(figure), figure
    end
    assert_equal all.quantiles(:wall).transform_values { |list| list.last(2) }, newest.quantiles(:wall)
    assert_equal({"puma" => [nil, nil]}, newest.gvl, "a line stays where it ended before")
    assert_equal 4, all.at_s.size
    assert_equal all.at_s, all.newest(10).at_s
  end

  def test_no_unit_is_unknown_but_zero_per_second
    found = series(window, nil, window(2, count: 0))

    [1, 2].each do |step|
      assert_equal 0.0, found.per_second[step]
      assert_nil found.mean(:wall)[step]
      found.shares.each_value { |list| assert_nil list[step] }
      found.quantiles(:wall).each_value { |list| assert_nil list[step] }
    end
  end

  # Nothing ran, so it is not known whether units would have come.
  def test_a_step_without_any_measurement_has_no_rate
    found = series(nil, nil, window(2), measured: Set[START_S])

    assert_equal [0.0, nil, 1.0], found.per_second
    assert_equal [true, false, true], [0, 1, 2].map { |index| found.measured?(index) }
  end

  def test_shares_are_of_the_time_of_the_units
    found = series(window, window(1, wall: 400)).shares

    assert_equal [0.5, 0.5], found[:cpu]
    assert_equal [0.5, 0.5], found[:stalled]
    assert_equal [0.0, 0.0], found[:io]
  end

  # A recording that begins in the middle of a minute had half of it for its units.
  def test_the_rate_is_over_the_time_that_was_measured
    coverage = measured(30, 120)
    found = series(window, window(1), coverage:).per_second

    assert_equal [2.0, 1.0], found
  end

  # Its processes count for the whole minute: a GVL that is held all the time would be held for a half.
  def test_how_long_gvls_were_held_is_unknown_where_a_minute_was_measured_in_part
    found = series(window, window(1), window(2), coverage: measured(30, 150),
      gvl: {"puma" => [0.1, 0.2, 0.1], "sidekiq" => [0.1, nil, nil]})

    assert_equal({"puma" => [nil, 0.2, nil]}, found.gvl)
    assert_equal found.gvl, found.to_h[:gvl]
  end

  def test_the_rate_without_known_coverage_is_over_the_step
    assert_equal [1.0, 0.5], series(window, window(1, count: 30)).per_second
  end

  # Half a second of coverage would make any rate of one unit.
  def test_a_step_that_was_hardly_measured_has_the_rate_of_the_step
    assert_equal [1.0], series(window, coverage: measured(0, 0.5)).per_second
  end

  def test_the_last_step_may_be_shorter
    found = series(window, window(1, seconds: 30), to_s: START_S + 90)

    assert_equal [1.0, 2.0], found.per_second
  end

  # Old minutes were rolled up: a window is longer than a step and was measured longer.
  def test_a_window_longer_than_the_step_is_not_so_many_more_per_second
    assert_equal [0.2], series(window(seconds: 300), coverage: measured(0, 300)).per_second
  end

  # 60 requests of 400 ms in a minute keep 0.4 threads.
  def test_how_many_threads_are_in_each_state
    found = series(window(wall: 400), nil, measured: Set[START_S]).in_state

    assert_in_delta 0.2, found[:cpu].first
    assert_in_delta 0.2, found[:stalled].first
    assert_nil found[:cpu].last
  end

  def test_how_long_requests_waited_by_step
    found = series(window(wall: 400), nil, window(2, count: 0))

    assert_equal({START_S => 60 * 200 * MS}, found.stalled_ns)
  end

  def test_a_step_has_the_seconds_that_were_measured
    found = series(window, window(1), window(2), coverage: measured(30, 120))

    assert_equal [30.0, 60.0, 60.0], [0, 1, 2].map { |index| found.seconds(index) }
  end

  def test_quantiles_are_those_of_the_step
    found = series(window(wall: 10), window(1, wall: 500)).quantiles(:wall)

    assert_equal %i[p50 p95 p99], found.keys
    found.each_value { |list| assert_equal [10 * MS, 500 * MS], list }
    assert_equal [10.0 * MS, 500.0 * MS], series(window, window(1, wall: 500)).mean(:wall)
  end

  def test_the_heat_map_counts_each_unit_once
    found = series(window, nil, window(2, wall: 900)).heat

    assert_equal [60, 0, 60], found[:counts].map(&:sum)
    assert_equal found[:upto_ns].sort, found[:upto_ns]
    found[:counts].each { |counts| assert_equal found[:upto_ns].size, counts.size }
  end

  def test_empty_without_units_though_threads_were_measured
    assert_empty series(nil, nil)
    assert_empty series(window(count: 0), measured: Set[START_S])
    refute_empty series(nil, window(1, count: 1))
  end

  def test_a_time_that_was_not_recorded_is_not_known
    found = series(window)

    assert found.known?(:wall)
    refute found.known?(:queued)
    refute series(nil).known?(:wall)
  end
end
