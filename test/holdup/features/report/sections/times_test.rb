# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::TimesTest < Minitest::Test
  Times = Holdup::Report::Sections::Times
  MS = 1_000_000

  def sample = @sample ||= SampleWindows.new

  # Ten requests: cpu 20 ms, stalled 30 ms, io 50 ms each, except the last one with ten times as much stall.
  # A percentile below the largest is that of a bucket: 30.4 ms for 30.
  def orders
    stalled = [30] * 9 + [300]
    ms = {wall: stalled.map { |one| one + 70 }, running: [20] * 10, stalled:, idle: [50] * 10}
    histograms = ms.transform_values { |values| Holdup::Histogram.of(values.map { |one| one * MS }) }
    sample.window("Orders#index", count: 10, errors: 3, histograms:,
      sums: {cpu_ns: 200 * MS, io_ns: 500 * MS, gc_ns: 40 * MS})
  end

  def summary(windows = [orders])
    Holdup::Analysis::Summary.new(windows, from_s: SampleWindows::START_S, to_s: SampleWindows::START_S + 60)
  end

  def table(kind, of = summary, limit: 10) = kind.new(of, words: Holdup::View::Words.new, limit:)

  def section(...) = table(...).call

  def test_shares_of_each_state_and_their_bar
    name, bar, *shares = section(Times::StateSplitTable).rows.first
    assert_equal "Orders#index", name
    assert_equal %w[15.7 0 44.9 39.4 0 0 0], shares
    assert_in_delta 1, bar.parts.values.sum
    assert_match(/\A#+x+~+\z/, bar.label)
  end

  def test_rate_percentiles_and_errors
    found = section(Times::LatencyTable)
    assert_equal ["Orders#index", "10", "0.17", "102 ms", "102 ms", "370 ms", "370 ms", "3"], found.rows.first
    assert_equal found.rows.first.drop(1), found.total.drop(1)
  end

  def test_means_and_the_two_shares_of_waiting
    row = section(Times::AverageTable).rows.first
    assert_equal ["127 ms", "20.0 ms", "50.0 ms", "57.0 ms", "4.00 ms"], row[1..5]
    assert_equal "71.4", row[6], "idle of running and idle"
    assert_equal "84.3", row[7], "idle and stalled of all time"
  end

  def test_rows_beyond_the_limit_are_counted
    quotes = sample.window("Quotes#show", count: 1, histograms: {wall: Holdup::Histogram.of([MS])})
    found = section(Times::LatencyTable, summary([orders, quotes]), limit: 1)
    assert_equal ["Orders#index"], found.rows.map(&:first)
    assert_equal ["... and 1 more (--limit)"], found.notes
    assert_equal "11", found.total[1], "the total has them"
  end

  def test_distribution_of_each_figure
    rows = section(Times::DistributionTable).rows.to_h { |name, *cells| [name, cells] }
    assert_equal ["57.0 ms", "30.4 ms", "30.4 ms", "300 ms", "300 ms", "300 ms"], rows.fetch("GVL wait")
    assert_equal ["50.0 ms"] * 6, rows.fetch("idle")
  end

  def test_says_that_queue_time_is_not_measured
    unknown = [Holdup::View::Words.new.call(:queued_unknown)]
    assert_equal unknown, section(Times::DistributionTable).notes
    assert_empty section(Times::DistributionTable, summary(sample.to_a)).notes
  end

  # The requests that stalled longest are not those that took longest.
  def test_each_column_is_sliced_by_its_own_values
    ms = {wall: [*1..90].fill(100) + [900] * 10, stalled: [*1..10].fill(80) + [30] * 90}
    histograms = ms.transform_values { |values| Holdup::Histogram.of(values.map { |one| one * MS }) }
    of = summary([sample.window("Orders#index", count: 100, histograms:)])
    rows = section(Times::QuantileBandTable, of).rows.to_h { |name, *cells| [name, cells] }
    assert_equal ["9", "882 ms", "-", "-", "79.9 ms", "-"], rows.fetch("p90-99")
  end

  def test_slices_of_each_shown_row
    details = table(Times::QuantileBandTable, summary(sample.to_a), limit: 2).details
    assert_equal 2, details.size
    assert_equal 2, details.map(&:title).uniq.size
    assert_includes details.first.title, summary(sample.to_a).rows.first.name
  end

  def test_amdahl_of_the_share_of_waiting
    found = section(Times::AmdahlTable)
    assert_includes found.title, "71.4 %"
    two = found.columns.index("2")
    assert_equal ["1.56x", "+56%"], found.rows.map { |row| row[two] }, "1 / (1 - 0.714 / 2)"
    assert_nil section(Times::AmdahlTable, summary([]))
  end
end
