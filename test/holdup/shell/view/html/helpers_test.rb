# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::Html::HelpersTest < Minitest::Test
  Blocks = Holdup::View::Blocks
  FigureCell = Holdup::View::Html::Helpers::FigureCell

  FIGURES = ["12.3 ms", "0", "-", "<0.01", "-12.3 %", "-24.2..+3.8 %", "-4.94 ms..+3.56 ms", "2 x 5",
    "1.00x", "+43%", "1.5 - 2.0", "82.0 kB", ""].freeze
  WORDS = ["rails", "yes", "pid 123", "ReportsController#sales 217 ms", "不明", "DB pool"].freeze

  def test_figures_and_words_are_distinguished
    FIGURES.each { |cell| assert FigureCell.match?(cell), cell }
    WORDS.each { |cell| refute FigureCell.match?(cell), cell }
    refute FigureCell.match?(Blocks::Link.new(text: "1", page: "jobs"))
  end

  def test_a_column_with_words_begins_at_the_left
    columns = ["name", "count", "why", Blocks::Column.new(text: "output", words: true)]
    rows = [["a", "1", "-", "b"], ["c", "2", "rule", "d"]]
    section = Holdup::View::Section.new(title: "t", columns:, rows:)
    helpers = Holdup::View::Html::Helpers.new(words: Holdup::View::Words.new)
    assert_equal [nil, nil, "text", "words"], 4.times.map { |index| helpers.alignment(section, index) }
  end

  def test_a_figure_with_a_colour_is_a_figure_like_others
    cells = [0.0, 0.019, 0.02, 0.3, 1.0].map { |share| Blocks::Heat.new(text: "12.3 ms", share:) }
    helpers = Holdup::View::Html::Helpers.new(words: Holdup::View::Words.new)
    assert_equal [nil, nil, "heat-1", "heat-3", "heat-5"], cells.map { |cell| helpers.ground(cell) }
    assert_nil helpers.ground("12.3 ms")
    cells.each { |cell| assert FigureCell.match?(cell) }
    section = Holdup::View::Section.new(title: "t", columns: %w[name a], rows: [["b", cells.last]])
    assert_equal helpers.width(section.plain), helpers.width(section)
  end

  def test_a_line_over_time_has_gaps_where_nothing_is_known
    helpers = Holdup::View::Html::Helpers.new(words: Holdup::View::Words.new)
    assert_equal "M0.0 10.0L50.0 1.0", helpers.trace([5, 10, nil])
    assert_equal "M0.0 1.0h1M100.0 1.0h1", helpers.trace([10, nil, 10])
    assert_equal "", helpers.trace([nil])
  end

  # A step without its class would have no colour.
  def test_each_step_has_a_colour
    css = File.read(File.join(Holdup::View::Html::ASSETS, "holdup.css"))
    last = Blocks::Heat::STEPS.size
    assert_equal (1..last).to_a, css.scan(/^\.heat-(\d)/).flatten.map(&:to_i)
  end

  def test_attributes_of_a_tag
    helpers = Holdup::View::Html::Helpers.new(words: Holdup::View::Words.new)
    assert_equal "", helpers.attributes(class: nil, selected: false)
    assert_equal %( class="a &quot;b&quot;" selected data-min="1"),
      helpers.attributes(class: "a \"b\"", selected: true, "data-min": 1)
  end

  # By its columns, and by the characters in them.
  def test_a_table_that_needs_room_gets_it
    helpers = Holdup::View::Html::Helpers.new(words: Holdup::View::Words.new)
    extents = [7, 8, 10].map do |count|
      helpers.extent(Holdup::View::Section.new(title: "t", columns: ["c"] * count, rows: []))
    end
    assert_equal [nil, "broad", "full table"], extents
    wide = ["name", *["-9.39 ms..+1.72 ms"] * 3]
    assert_equal "broad", helpers.extent(Holdup::View::Section.new(title: "t", columns: wide, rows: [wide]))
    short = ["name", *["1.72 ms"] * 3]
    assert_nil helpers.extent(Holdup::View::Section.new(title: "t", columns: short, rows: [short]))
  end

  def section(columns, *rows)
    Holdup::View::Section.new(title: "t", columns:, rows:)
  end

  def test_a_row_with_a_sentence_or_a_long_name_is_a_card_on_a_phone
    helpers = Holdup::View::Html::Helpers.new(words: Holdup::View::Words.new)
    why = Holdup::View::Blocks::Column.new(text: "why", words: true)
    reasons = section(["name", "p95", "mean", "caused", why], %w[A 1 2 3 because])
    assert_equal "cards", helpers.extent(reasons)
    assert_equal ["name", "p95", "mean", "caused", nil], helpers.card_labels(reasons)

    columns = %w[name p95 mean caused suffered]
    assert_includes helpers.extent(section(columns, ["A" * 41, "1", "2", "3", "4"])), "cards"
    refute_includes helpers.extent(section(columns, ["A" * 40, "1", "2", "3", "4"])).to_s, "cards"
  end

  def test_a_table_that_is_sorted_keeps_its_heading_on_a_phone
    helpers = Holdup::View::Html::Helpers.new(words: Holdup::View::Words.new)
    sorted = Holdup::View::Blocks::Column.new(text: "name", sort: "name")
    table = section([sorted, "p95", "mean", "caused", "suffered"], ["A" * 60, "1", "2", "3", "4"])
    assert_equal [nil] * 5, helpers.card_labels(table)
  end
end
