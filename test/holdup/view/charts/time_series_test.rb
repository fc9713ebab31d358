# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::View::Charts::TimeSeriesTest < Minitest::Test
  def sample = @sample ||= SampleWindows.new

  def course(windows = sample.to_a)
    store = Holdup::Store.open("memory:")
    store.commit(windows, {})
    histograms = Holdup::View::Charts::TimeSeries::HEATS.values
    Holdup::Queries::TimeSeriesQuery.call(store, from_s: sample.from_s, to_s: sample.to_s, histograms:)
  end

  def words = @words ||= Holdup::View::Words.new("en")

  def charts(*windows, names: Holdup::View::Charts::TimeSeries::NAMES)
    Holdup::View::Charts::TimeSeries.new(course(*windows), words:, names:).to_h
  end

  def test_titles_state_what_is_found
    found = Holdup::View::Charts::TimeSeries.new(course, words:, names: %w[shares wall heat_wall]).titles

    assert_match(/\AShare of elapsed time by state: stalled (?:between \d+ % and )?\d+ %\z/, found["shares"])
    assert_match(/\AElapsed time of a request or job: p95 .* ms\z/, found["wall"])
    assert_match(/\ADistribution of elapsed times .*: p95 .* ms\z/, found["heat_wall"])
  end

  def test_a_line_rises_or_falls_from_its_first_third_to_its_last
    change = Holdup::View::Charts::TimeSeries::SeriesChange
    said = lambda do |*values|
      found = change.of(values)
      [found.key, found.from, found.to]
    end

    assert_equal [:rose, 1.0, 2.0], said.call(1, 1, nil, 9, 1, 2, 2)
    assert_equal [:fell, 3.0, 1.0], said.call(3, 3, 2, 2, 1, 1)
    assert_equal [:between, 10, 12], said.call(10, 11, 12, 10, 11, 11)
    assert_equal [:between, 1, 5], said.call(1, nil, 5)
    assert_nil change.of([nil])
  end

  def test_every_line_has_a_value_for_each_step
    charts.each { |name, chart|
      chart.series.each { |line| assert_equal chart.x.values.size, line.values.size, name }
    }
    assert_equal [sample.from_s, sample.from_s + 60, sample.from_s + 120], charts["rate"].x.values
  end

  def test_shares_are_drawn_by_state_and_come_to_the_whole
    shares = charts["shares"]
    assert_equal Holdup::Analysis::SeriesRow::StateSplit.members, shares.series.map(&:state)
    shares.series.map(&:values).transpose.each { |parts| assert_in_delta 1.0, parts.sum, 1e-9 }
  end

  def test_the_gvl_has_a_limit
    process = [sample.window("worker 0", kind: :process, queue: nil, count: 1)]
    gvl = charts(sample.to_a + process, names: ["gvl"])["gvl"]
    assert_equal [["puma 8.0.2"], [0.85]], [gvl.series.map(&:label), gvl.limits.map(&:at)]
  end

  def test_the_spread_counts_every_unit_once
    heat = charts(names: ["heat_wall"])["heat_wall"]
    units, most = heat.series
    assert_equal sample.to_a.sum(&:count), heat.heat[:counts].flatten.sum
    assert_equal heat.heat[:counts].map(&:sum), units.values
    assert_equal heat.heat[:counts].map { |column| heat.heat[:upto_ns][column.index(column.max)] },
      most.values
  end

  def test_each_time_is_drawn_with_its_percentiles
    charts(names: Holdup::View::Charts::TimeSeries::HEATS.keys).each do |name, heat|
      assert_equal sample.to_a.sum(&:count), heat.heat[:counts].flatten.sum, name
    end
    names = %w[heat_wall heat_running]
    table = Holdup::View::Charts::TimeSeries::Table.new(course, words:, limit: 2, names:).call
    assert_equal ["from", "running, p50", "running, p95"], table.columns
    assert_equal Holdup::View::Figures.duration(course.quantiles(:running)[:p95].last), table.rows.first.last
  end

  def test_methods_that_stall_others_have_a_line_each
    caused = {"A#a" => {sample.from_s => 300_000_000}, "B#b" => {sample.from_s + 60 => 600_000_000}}
    windows = [0, 60].to_h { |at| [sample.from_s + at, sample.window("GET /", count: 300)] }
    series = Holdup::Analysis::TimeSeries.new(at_s: windows.keys, step_s: 60, to_s: sample.from_s + 120,
      windows:, caused:)
    names = [Holdup::View::Charts::TimeSeries::METHODS]
    chart = Holdup::View::Charts::TimeSeries.new(series, words:, names:).to_h.fetch(names.first)
    assert_equal({"B#b" => [0.0, 2_000_000.0], "A#a" => [1_000_000.0, 0.0]},
      chart.series.to_h { |line| [line.label, line.values] })
    table = Holdup::View::Charts::TimeSeries::Table.new(series, words:, limit: 5, names:).call
    assert_equal ["from", "caused, B#b", "caused, A#a"], table.columns
    assert_equal ["2.00 ms", "0"], table.rows.first.last(2)
  end

  def unknown
    [sample.window("GET /", count: 2,
      histograms: {wall: Holdup::Histogram.of([9, 9]), stalled: Holdup::Histogram.of([1, 1])})]
  end

  def test_an_unknown_queue_time_is_drawn_and_named_as_unknown
    waits = charts(unknown, names: ["waits"])["waits"]
    assert_equal({"queued" => nil, "stalled" => 1.0},
      waits.series.to_h { |line| [line.label, line.values.first] })
    assert_nil JSON.parse(waits.to_json)["series"].first["values"].first
    names = ["waits"]
    table = Holdup::View::Charts::TimeSeries::Table.new(course(unknown), words:, limit: 5, names:).call
    assert_equal Holdup::View::Figures::NONE, table.rows.last[1]
  end

  def test_minutes_in_which_nothing_was_measured_have_no_rate
    assert_equal [nil, nil], charts(unknown, names: ["rate"])["rate"].series.first.values.last(2)
    assert_equal [2, nil, nil], charts(unknown, names: ["heat_wall"])["heat_wall"].series.first.values
    names = ["rate"]
    table = Holdup::View::Charts::TimeSeries::Table.new(course(unknown), words:, limit: 5, names:).call
    assert_equal Holdup::View::Figures::NONE, table.rows.first[1]
  end

  def test_what_a_script_gets
    json = JSON.parse(charts["wall"].to_json)
    assert_equal %w[kind limits marks points series unit x], json.keys.sort
    assert_equal({"unit" => "time", "values" => charts["wall"].x.values, "log" => false}, json["x"])
    assert_equal(%w[p50 p95 p99], json["series"].map { |line| line["label"] })
  end

  def test_the_table_says_the_same
    table = Holdup::View::Charts::TimeSeries::Table.new(course, words:, limit: 2).call
    assert_equal [sample.from_s + 120, sample.from_s + 60], table.rows.map { |row| row.first.at_s }
    assert_equal [table.columns.size], table.rows.map(&:size).uniq
    stalled = table.columns.index { |column| column == "stalled, share" }
    assert_equal Holdup::View::Figures.share(course.shares[:stalled].last), table.rows.first[stalled]
    assert_match(/1 more/, table.notes.last)
  end
end
