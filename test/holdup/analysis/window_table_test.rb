# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::WindowTableTest < Minitest::Test
  WindowTable = Holdup::Analysis::WindowTable
  WindowSum = WindowTable::WindowSum
  START_S = SampleWindows::START_S
  SAMPLE = SampleWindows.new
  OLD, NEW = %w[3.3.8 3.4.5].map { |ruby| Holdup::Setting.new(attributes: {"ruby" => ruby}) }

  def test_one_entry_for_each_series_and_setting
    table = WindowTable.new([window("A#b", count: 1), window("A#b", minute: 1, count: 2),
      window("A#b", setting: OLD, count: 4), window("B#c", count: 8)])
    counts = table.entries.to_h { |entry| [[entry.series.name, entry.setting], entry.window.count] }
    assert_equal({["A#b", NEW] => 3, ["A#b", OLD] => 4, ["B#c", NEW] => 8}, counts)
  end

  def test_hosts_are_merged
    windows = %w[web-1 web-2].map { |host| window("A#b", count: 2).with(host:) }
    assert_equal [4], WindowTable.new(windows).entries.map { |entry| entry.window.count }
  end

  def test_a_window_without_a_setting_has_an_entry_of_its_own
    table = WindowTable.new([window("A#b", setting: nil, count: 1), window("A#b", count: 2)])
    assert_equal({nil => 1, NEW => 2}, table.entries.to_h { |entry| [entry.setting, entry.window.count] })
  end

  def test_the_order_of_the_windows_does_not_matter
    windows = SAMPLE.to_a
    first, second = [windows, windows.shuffle(random: Random.new(3))].map do |ordered|
      WindowTable.new(ordered).entries.to_h { |entry| [entry.series, entry.window] }
    end
    assert_equal first, second
  end

  def test_covers_the_time_of_requests_and_jobs_alone
    table = WindowTable.new([window("A#b", minute: 2), window("A#b", minute: 1),
      window("main", kind: :account, minute: 0), window("worker 0", kind: :process, minute: 9)])
    assert_equal START_S + 60, table.first_s
    assert_equal START_S + 180, table.last_s
  end

  def test_without_units_no_time_is_covered
    [[], [window("main", kind: :account)], [window("A#b").with(start_s: nil)]].each do |windows|
      table = WindowTable.new(windows)
      assert_nil table.first_s
      assert_nil table.last_s
    end
  end

  def test_a_sum_has_all_numbers_of_its_windows
    sum = WindowSum.sum([window("A#b", count: 2, stalled: 5, caused: 1),
      window("B#c", count: 3, stalled: 6, caused: 2)])
    assert_equal "A#b", sum.series.name
    assert_equal 5, sum.count
    assert_equal 11, sum.stalled_ns
    assert_equal 3, sum.caused_ns
    assert_equal "all", WindowSum.sum([window("A#b")], series: series("all")).series.name
  end

  def test_a_sum_of_sums_is_the_sum_of_all
    windows = SAMPLE.to_a.select { |window| window.series.unit? }
    total = series("all")
    parts = windows.each_slice(5).map { |slice| WindowSum.sum(slice, series: total) }
    assert_equal WindowSum.sum(windows, series: total), WindowSum.sum(parts, series: total)
  end

  def test_subtracts_the_time_of_nested_units_but_not_their_number
    all = window("A#b", count: 5, stalled: 50, caused: 9)
    left = WindowSum.subtract(all, window("(nested)", kind: :nested, count: 2, stalled: 20, caused: 4))
    assert_equal 5, left.count
    assert_equal 30, left.stalled_ns
    assert_equal 5, left.caused_ns
    assert_equal all.series, left.series
    assert_equal all, WindowSum.subtract(all, window("(nested)", kind: :nested))
  end

  private

  def series(name) = Holdup::Series.new(kind: :request, name:)

  def window(name, kind: :request, minute: 0, setting: NEW, count: 1, stalled: 0, caused: 0)
    SAMPLE.window(name, kind:, start_s: START_S + minute * 60, setting:, count:, sums: {caused_ns: caused},
      histograms: {stalled: Holdup::Histogram.of_sum(stalled)})
  end

  def numbers(stalls)
    stalls.map do |windows|
      windows.map { |parts| parts.map { |part| [part.series.name, part.suffered, part.caused] } }
    end
  end
end
