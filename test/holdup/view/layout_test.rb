# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::LayoutTest < Minitest::Test
  def table(rows, width:, total: nil)
    section = Holdup::View::Section.new(title: "t", columns: ["name", "p50", "errors"], rows:, total:)
    Holdup::View::Layout::Table.new(section, width:)
  end

  def test_figures_are_right_aligned
    made = table([["A", "1.00 ms", "0"], ["Bee", "20 s", "12"]], width: 40, total: ["all", "3 s", "12"])
    assert_equal "name          p50  errors", made.head
    assert_equal ["A         1.00 ms       0", "Bee          20 s      12"], made.body
    assert_equal "all           3 s      12", made.total
  end

  def test_names_give_way_and_figures_never
    made = table([["Admin::Reporting::MonthlyController#index", "1.00 ms", "123,456"]], width: 30)
    assert_equal 30, made.body.first.size
    assert made.body.first.end_with?("1.00 ms 123,456")
    assert_includes made.body.first, "…"
  end

  def test_wide_characters_keep_the_columns_straight
    lines = table([["日本語の名前", "1 ms", "0"], ["ascii", "1 ms", "0"]], width: 40).body
    assert_equal 1, lines.map { |line| Holdup::View::Width.of(line) }.uniq.size
  end
end
