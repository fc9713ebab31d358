# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::SlowOverTimeReaderTest < Minitest::Test
  def sample = @sample ||= SampleWindows.new

  def store = @store ||= Holdup::Store.open("memory:").tap { |store| store.commit(sample.to_a, {}) }

  def rows
    summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s)
    summary.rows.first(2)
  end

  def read(from_s: sample.from_s, to_s: sample.to_s, rows: self.rows, **chosen)
    Holdup::Report::SlowOverTimeReader.call(store, rows, from_s:, to_s:,
      filter: Holdup::Analysis::UnitFilter.new(**chosen))
  end

  def test_each_step_has_the_percentile_of_its_requests
    found = read

    assert_equal rows.map(&:name), found.keys.map(&:name)
    name = rows.first.name
    walls = sample.to_a.select { |window| window.series.name == name }
      .map { |window| window.histograms[:wall].quantile(0.95) }
    assert_equal walls, found.values.first
  end

  def test_a_long_span_has_few_points_and_none_where_nothing_ran
    line = read(from_s: sample.from_s - 86_400).values.first

    assert_operator line.size, :<=, Holdup::Report::SlowOverTimeReader::POINTS + 1
    assert_equal 1, line.compact.size
  end

  def test_a_month_has_a_point_for_each_day
    line = read(from_s: sample.to_s - 30 * 86_400).values.first

    assert_includes 30..31, line.size
  end

  def test_other_settings_are_left_out
    assert_equal [nil, nil, nil], read(threads: 3).values.first
    assert_empty read(rows: [])
  end
end
