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
    assert_equal ["name          p50  errors"], made.head
    assert_equal ["A         1.00 ms       0", "Bee          20 s      12"], made.body
    assert_equal ["all           3 s      12"], made.total
  end

  def test_names_give_way_and_figures_never
    made = table([["Admin::Reporting::MonthlyController#index", "1.00 ms", "123,456"]], width: 30)
    assert_equal 30, made.body.first.size
    assert made.body.first.end_with?("1.00 ms 123,456")
    assert_includes made.body.first, "…"
  end

  def test_optional_columns_give_way_before_names_do
    columns = ["name", "p50", Holdup::View::Blocks::Column.new(text: "errors", optional: true)]
    rows = [["Admin::UsersController", "1.00 ms", "9"]]
    section = Holdup::View::Section.new(title: "t", columns:, rows:, total: %w[all 2 9])
    lines = ->(width) { Holdup::View::Layout::Table.new(section, width:).lines }
    assert_equal [
      "name                        p50",
      "Admin::UsersController  1.00 ms",
      "all                           2"
    ], lines.call(31)
    assert_includes lines.call(39).first, "errors"
    assert_includes lines.call(20).last(2).first, "…"
  end

  def test_wide_characters_keep_the_columns_straight
    lines = table([["日本語の名前", "1 ms", "0"], ["ascii", "1 ms", "0"]], width: 40).body
    assert_equal 1, lines.map { |line| Holdup::View::Width.of(line) }.uniq.size
  end

  def sentences(rows, width: 60, columns: ["", ""])
    *others, last = columns
    columns = [*others, Holdup::View::Blocks::Column.new(text: last, words: true)]
    section = Holdup::View::Section.new(title: "", columns:, rows:)
    Holdup::View::Layout::Table.new(section, width: Holdup::View::Layout::WHOLE, sentences: width)
  end

  def test_a_last_column_of_sentences_wraps_below_itself
    rows = [["id-1", "It took a while, and then it took a while again."], ["id-22", "Short."]]
    made = sentences(rows, width: 40)
    assert_equal ["id-1      It took a while, and then it",
      "          took a while again.", "id-22     Short."], made.body
  end

  def test_titles_that_are_all_empty_take_no_line
    assert_empty sentences([["a", "b"]]).head
    assert_equal ["id        what"], sentences([["a", "b"]], columns: %w[id what]).head
  end

  def test_a_bar_of_states_is_drawn_and_colours_only_add
    parts = Holdup::View::Drawing::Bar::SYMBOLS.to_h { |state, _| [state, (state == :cpu) ? 1.0 : 0.0] }
    bar = Holdup::View::Blocks::Bar.new(parts:, label: "cpu 100 %")
    section = Holdup::View::Section.new(title: "", columns: ["name", "", "p50"], rows: [["A", bar, "1 ms"]])
    plain, painted = [false, true].map { |on|
      Holdup::View::Layout::Table.new(section, width: 40, style: Holdup::View::Drawing::Style.new(on)).body
    }
    assert_equal ["A         ############  1 ms"], plain
    assert_equal ["A         \e[32m############\e[0m  1 ms"], painted
  end
end
