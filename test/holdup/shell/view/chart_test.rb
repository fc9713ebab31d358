# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::ChartTest < Minitest::Test
  Chart = Holdup::View::Chart

  def data(series:, **options)
    x = Chart::Axis.new(unit: :time, values: [1, 2])
    JSON.parse(Chart.new(kind: :line, unit: :ns, x:, series:, **options).to_json, symbolize_names: true)
  end

  def test_data_have_only_what_a_chart_has
    found = data(series: [Chart::Line.new(label: "p50", values: [5, nil])])
    assert_equal %i[kind limits marks points series unit x], found.keys.sort
    assert_equal [{label: "p50", values: [5, nil]}], found[:series]
    assert_equal({unit: "time", values: [1, 2], log: false}, found[:x])
  end

  # A screen can't show more digits, and a page has many values.
  def test_values_are_rounded
    found = data(series: [Chart::Line.new(label: "share", values: [0.123456789, 3], unit: :share)])
    assert_equal [0.123457, 3], found[:series].first[:values]
    assert_equal "share", found[:series].first[:unit]
  end

  def test_marks_limits_and_points
    found = data(series: [], limits: [Chart::Mark.new(at: 9, label: "limit")],
      marks: [Chart::Mark.new(at: 1, label: "deployed")], points: [Chart::Point.new(x: 1, y: 5)], most: 10)
    assert_equal [{at: 9, label: "limit"}], found[:limits]
    assert_equal [{at: 1, label: "deployed"}], found[:marks]
    paged = Chart::Mark.new(at: 1, label: "died", page: "deaths")
    assert_equal [{at: 1, label: "died", page: "deaths"}], data(series: [], marks: [paged])[:marks]
    assert_equal [{at: 1, label: "died", page: "deaths", around: true}],
      data(series: [], marks: [paged.with(around: true)])[:marks]
    assert_equal [{x: 1, y: 5}], found[:points], "a point that is crossed out has no label"
    assert_equal 10, found[:most]
  end
end
