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

  PEAK = /(?:, peak \S+ \S+ at #{Holdup::View::Figures::Moments::PATTERN})?/

  def test_titles_state_what_is_found
    found = Holdup::View::Charts::TimeSeries.new(course, words:, names: %w[shares wall heat_wall]).titles

    assert_match(/\AShare of elapsed time by state: GVL wait \d+ %#{PEAK}\z/o, found["shares"])
    assert_match(/\AElapsed time of a request or job: p95 \S+ ms#{PEAK}\z/o, found["wall"])
    assert_match(/\ADistribution of elapsed times: p95 \S+ ms#{PEAK}\z/o, found["heat_wall"])
  end

  LatestAndPeak = Holdup::View::Charts::TimeSeries::LatestAndPeak

  def title(values, language = "en", unit: :time)
    xs = values.each_index.map { |index| 1_790_000_040 + index * 60 }
    xs = values.each_index.map { |index| index * 60_000_000_000 } if unit == :ns
    LatestAndPeak.of(values, xs)&.title("Elapsed", line: "p95", figure: :duration, unit:,
      words: Holdup::View::Words.new(language))
  end

  # It was 4.2 s for a minute, long before the line ended at 0.6 s.
  def test_a_title_says_the_latest_value_and_the_peak
    at = Holdup::View::Figures::Moments.at(1_790_000_100)
    values = [1_120, 4_200, 900, 700, 600, 600].map { |ms| ms * 1_000_000 }
    assert_equal "Elapsed: p95 600 ms, peak 4.20 s at #{at}", title(values)
    assert_equal "Elapsed：p95 は 600 ms、最大は #{at} の 4.20 秒", title(values, "ja")
    assert_equal "Elapsed: p95 600 ms, peak 4.20 s at an age of 60 s", title(values, unit: :ns)
    assert_equal "Elapsed: p95 600 ms", title([600_000_000] * 3)
    assert_nil title([nil])
  end

  def test_a_peak_at_the_start_of_a_process
    values = [4_200, 900, 600].map { |ms| ms * 1_000_000 }
    assert_equal "Elapsed: p95 600 ms, peak 4.20 s at the start", title(values, unit: :ns)
    assert_equal "Elapsed：p95 は 600 ms、最大は起動時の 4.20 秒", title(values, "ja", unit: :ns)
  end

  def test_a_line_that_ended_is_not_said_to_be_now
    at, till = [1_790_000_040, 1_790_000_100].map { |at_s| Holdup::View::Figures::Moments.at(at_s) }
    assert_equal "Elapsed: p95 1.00 s until #{till}, peak 2.00 s at #{at}",
      title([2_000_000_000, 1_000_000_000, nil, nil, nil])
    assert_equal "Elapsed: p95 1.00 s until #{at}", title([1_000_000_000, nil, nil, nil])
  end

  # 20 requests a second until 17 s after the last full minute.
  def test_a_minute_that_was_measured_in_part_is_neither_in_a_title_nor_in_the_line
    at_s = Array.new(5) { |index| 1_790_000_040 + index * 60 }
    windows = at_s.zip([40, 1200, 1200, 1200, 90]).to_h do |start_s, count|
      wall = Holdup::Histogram.of([(count < 1200) ? 8_550_000_000 : 600_000_000] * count)
      [start_s, sample.window("GET /", start_s:, count:, histograms: {wall:})]
    end
    coverage = Holdup::Analysis::MeasuredTime.whole(at_s.first + 58, at_s.last + 17)
    series = Holdup::Analysis::TimeSeries.new(at_s:, step_s: 60, to_s: at_s.last + 60, windows:, coverage:)
    drawn = Holdup::View::Charts::TimeSeries.new(series, words:, names: %w[wall rate])
    assert_equal({"wall" => "Elapsed time of a request or job: p95 600 ms",
                  "rate" => "Requests and jobs per second: 20.0"}, drawn.titles)
    assert_equal [true, true, true, true, false],
      drawn.to_h.fetch("wall").series.first.values.map { |value| !value.nil? }
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
    assert_equal({"queued" => nil, "GVL wait" => 1.0},
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
    stalled = table.columns.index { |column| column == "GVL wait, share" }
    assert_equal Holdup::View::Figures.share(course.shares[:stalled].last), table.rows.first[stalled]
    assert_match(/1 more/, table.notes.last)
  end
end
