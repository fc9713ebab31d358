# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::SectionTest < Minitest::Test
  Blocks = Holdup::View::Blocks
  LINK = Blocks::Link.new(text: "Orders#index", page: "endpoint")

  def column(text, optional: false) = Blocks::Column.new(text:, optional:)

  def section(columns: ["name", column("p50", optional: true), column("p95", optional: true)],
    rows: [[LINK, "1 ms", "2 ms"]], **options)
    Holdup::View::Section.new(title: "Times", columns:, rows:, **options)
  end

  def test_plain_text_has_neither_links_nor_columns
    plain = section(total: ["all", Blocks::Moment.new(at_s: 0), "2 ms"], details: [LINK, nil]).plain
    assert_equal %w[name p50 p95], plain.columns
    assert_equal [["Orders#index", "1 ms", "2 ms"]], plain.rows
    assert_equal ["Orders#index", nil], plain.details
    assert_equal [String], plain.total.map(&:class).uniq
    assert_nil section.plain.total
  end

  def test_first_cells_can_be_replaced_with_their_place
    rows = [["A", 1, 2], ["B", 3, 4]]
    replaced = section(rows:).with_first_cells { |name, index| "#{index} #{name}" }
    assert_equal [["0 A", 1, 2], ["1 B", 3, 4]], replaced.rows
  end

  def test_the_last_optional_column_goes_first
    narrow = section(total: ["all", "3 ms", "4 ms"]).narrower
    assert_equal %w[name p50], narrow.columns.map(&:to_s)
    assert_equal [["Orders#index", "1 ms"]], narrow.rows.map { |row| row.map(&:to_s) }
    assert_equal ["all", "3 ms"], narrow.total
    assert_equal %w[name], narrow.narrower.columns
    assert_nil narrow.narrower.narrower, "the other columns are needed"
  end

  def test_optional_columns_need_not_be_the_last_ones
    columns = ["name", column("rate", optional: true), "p95"]
    assert_equal [["Orders#index", "2 ms"]],
      section(columns:).narrower.rows.map { |row| row.map(&:to_s) }
  end
end
