# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::Report::SideChartsTest < Minitest::Test
  MS = 1_000_000

  def side(label, *minutes)
    sample = SampleWindows.new
    windows = minutes.map do |wall|
      values = wall.map { |ms| ms * MS }
      sample.window("A", count: wall.size, histograms: {wall: Holdup::Histogram.of(values)})
    end
    Holdup::Compare::Side.new(label:, windows:, from_s: sample.from_s, to_s: sample.to_s)
  end

  def block(*sides)
    Holdup::Compare::Report::SideCharts.new(sides, words: Holdup::View::Words.new).call
  end

  def wall(*sides) = block(*sides).charts.values.first

  def test_a_chart_for_elapsed_and_one_for_stalled_time
    found = block(side("before", [5]), side("after", [9])).charts

    assert_equal 2, found.size
    assert_equal found.keys.uniq, found.keys
    found.each_value do |chart|
      assert_equal %w[before after], chart.series.map(&:label)
      assert_equal :share, chart.unit
      assert chart.x.log
    end
  end

  # Only the verdict says whether they differ.
  def test_titles_have_the_p95_of_both_sides
    sides, unknown = block(side("before", [5]), side("after", [9])).charts.keys
    p95 = /p95 5\.\d+ ms before, 9\.\d+ ms after/
    assert_match(/\AShare of requests and jobs by elapsed time: #{p95}\z/, sides)
    assert_match(/\AShare of requests and jobs by GVL wait\z/, unknown)
    assert_match(/: p95 5\.\d+ ms\z/, block(side("before", [5]), side("after", [5])).charts.keys.first)
  end

  # A side of an hour and one of a minute lie over each other.
  def test_each_side_is_of_its_own_units
    chart = wall(side("before", [5] * 30, [5] * 60, [40] * 10), side("after", [5, 40, 40, 40]))

    chart.series.each { |line| assert_in_delta 1.0, line.values.sum, 1e-9 }
    assert_equal [[0.9, 0.1], [0.25, 0.75]], chart.series.map { |line| line.values.select(&:positive?) }
  end

  def test_both_sides_have_one_axis
    chart = wall(side("before", [1, 2]), side("after", [500, 900]))

    assert_equal [chart.x.values.size], chart.series.map { |line| line.values.size }.uniq
    assert_equal chart.x.values.sort, chart.x.values
    occupied = chart.series.map { |line| line.values.each_index.select { |at| line.values[at].positive? } }
    assert_operator occupied.first.max, :<, occupied.last.min
  end

  # The time is below its band's bound and above that of the band before.
  def test_a_value_is_in_its_band
    [1, 7, 120, 9000].each do |ms|
      chart = wall(side("before", [ms, 100_000]), side("after", [1]))
      at = chart.series.first.values.index(&:positive?)

      assert_operator ms * MS, :<=, chart.x.values[at]
      assert_operator ms * MS, :>, chart.x.values[at - 1] if at.positive?
    end
  end

  def test_a_side_without_such_times_has_no_line
    chart = wall(side("before", [5]), side("after", []))

    assert_equal [nil], chart.series.last.values.uniq
    assert_equal 1.0, chart.series.first.values.sum
  end

  def test_no_times_at_all_is_an_empty_chart
    block(side("before", []), side("after")).charts.each_value do |chart|
      assert_empty chart.x.values
      assert_equal [[], []], chart.series.map(&:values)
    end
  end
end
