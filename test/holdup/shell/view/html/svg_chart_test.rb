# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::Html::SvgChartTest < Minitest::Test
  Chart = Holdup::View::Chart

  def drawing(kind, lines, **options)
    series = lines.map { |label, values|
      Chart::Line.new(label:, values:, state: (label.to_sym if kind == :stack))
    }
    Holdup::View::Html::SvgChart.new("It",
      Chart.new(kind:, unit: :share, series:, x: Chart::Axis.new(unit: :time, values: [0, 60, 120, 180]),
**options))
  end

  def test_lines_with_a_gap
    found = drawing(:line, {"p50" => [0.0, 0.5, nil, 1.0]})
    assert_equal ["M0.0 160.0L333.3 80.0M1000.0 0.0h0"], found.shapes.map(&:d)
    assert_equal "100 %", found.top
    assert_equal [0, 180].map { |at| Time.at(at).strftime("%F %H:%M") }, found.sides
  end

  def test_points_and_an_axis_that_multiplies
    axis = Chart::Axis.new(unit: :ns, values: [1_000, 10_000, 100_000], log: true)
    chart = Chart.new(kind: :line, unit: :rate, series: [Chart::Line.new(label: "a", values: [1, 2, 4])],
      x: axis, points: [Chart::Point.new(x: 10_000, y: 4, label: "now")])
    found = Holdup::View::Html::SvgChart.new("It", chart)
    assert_equal [[500.0, 0.0, "now"]], found.dots.map { |dot| [dot.x, dot.y, dot.label] }
    assert_equal ["1.00 us", "100 us"], found.sides
    refute Holdup::View::Html::SvgChart.possible?(chart.with(kind: :heat))
    refute Holdup::View::Html::SvgChart.possible?(chart.with(x: axis.with(values: [])))
  end

  def test_areas_stand_on_each_other
    found = drawing(:stack, {"cpu" => [0.25, 0.25, nil, nil], "io" => [0.75, 0.5, nil, nil]}, most: 1.0)
    cpu = [:cpu, "M0.0 120.0L333.3 120.0L333.3 160.0L0.0 160.0Z"]
    io = [:io, "M0.0 0.0L333.3 40.0L333.3 120.0L0.0 120.0Z"]
    assert_equal [cpu, io], found.shapes.map { |shape| [shape.look, shape.d] }
  end

  def test_marks_inside_and_nothing_at_all
    assert_equal [[500.0, "deployed"]],
      drawing(:line, {"a" => [1, 1, 1, 1]},
        marks: [Chart::Mark.new(at: 90, label: "deployed"), Chart::Mark.new(at: 900, label: "later")]).marks
    assert_equal [""], drawing(:line, {"a" => [nil] * 4}).shapes.map(&:d)
    assert_equal ["M0.0 160.0L333.3 160.0L666.7 160.0L1000.0 160.0"],
      drawing(:line, {"a" => [0] * 4}).shapes.map(&:d)
  end
end
