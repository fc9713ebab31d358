# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::DrawingTest < Minitest::Test
  Blocks = Holdup::View::Blocks
  Chart = Holdup::View::Chart
  Split = Holdup::Analysis::SeriesRow::StateSplit
  MS = 1_000_000

  def drawing(width: 33, style: Holdup::View::Drawing::Style.none)
    Holdup::View::Drawing.new(width:, style:)
  end

  def chart(*values)
    series = values.zip(%w[first second third]).map { |own, label| Chart::Line.new(label:, values: own) }
    Chart.new(kind: :line, unit: :rate, series:, x: Chart::Axis.new(unit: :count, values: [1, 2]))
  end

  def test_the_first_series_is_a_bar_and_the_others_are_marks_on_its_line
    lines = drawing(width: 43).plot(chart([0, 5.0], [0.4, 3.0], [1.0, 6.0]))
    assert_equal ["# first   a second   : third", "  1 | a  :",
      "  2 |##############a##########    :"], lines
  end

  def split(cpu: 0, stalled: 0)
    Split.new(cpu:, starved: 0, stalled:, io: 0, lock: 0, sleep: 0, native: 0)
  end

  def bar(group, name, queued_ms, ended_ms, **states)
    Blocks::TimeBar.new(group:, name:, queued_ns: queued_ms * MS, ended_ns: ended_ms * MS,
      split: split(**states))
  end

  def time_bars(*bars)
    Blocks::TimeBars.new(title: "Jobs", bars:, unit_ns: 10 * MS, notes: [])
  end

  def test_bars_have_one_scale_and_a_group_is_named_once
    block = time_bars(bar("one", "A", 0, 10, cpu: 1), bar("two", "A", 0, 20, cpu: 1, stalled: 1),
      bar("two", "B", 10, 20, cpu: 1))
    assert_equal ["      0x        1x        2x", "one A ##########", "two A ##########xxxxxxxxxx",
      "    B ..........##########"], drawing(width: 28).time_bars(block)
  end

  def test_colours_only_add
    block = time_bars(bar("one", "A", 0, 10, cpu: 1))
    painted = drawing(style: Holdup::View::Drawing::Style.new(true)).time_bars(block)
    assert_equal drawing.time_bars(block), painted.map { |line| line.gsub(/\e\[\d+m/, "") }
    assert_includes painted.last, "\e[32m"
  end
end
