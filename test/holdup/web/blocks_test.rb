# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::BlocksTest < Minitest::Test
  Blocks = Holdup::Web::Blocks

  FIGURES = ["12.3 ms", "0", "-", "<0.01", "-12.3 %", "-24.2..+3.8 %", "-4.94 ms..+3.56 ms", "2 x 5",
    "1.00x", "+43%", "1.5 - 2.0", "82.0 kB", ""].freeze
  WORDS = ["rails", "yes", "pid 123", "ReportsController#sales 217 ms", "不明", "DB pool"].freeze

  def test_figures_are_told_from_words
    FIGURES.each { |cell| assert Blocks::Figure.match?(cell), cell }
    WORDS.each { |cell| refute Blocks::Figure.match?(cell), cell }
    refute Blocks::Figure.match?(Blocks::Link.new(text: "1", page: "jobs"))
  end

  def test_a_column_with_words_begins_at_the_left
    columns = %w[name count why told].map { |text| Blocks::Column.new(text:, words: text == "told") }
    table = Blocks::Table.new(title: "t", columns:, rows: [["a", "1", "-", "b"], ["c", "2", "rule", "d"]])
    assert_equal [nil, nil, "text", "words"], 4.times.map { |index| table.alignment(index) }
  end
end
