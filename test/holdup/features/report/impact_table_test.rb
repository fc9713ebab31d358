# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::ImpactTableTest < Minitest::Test
  Table = Holdup::Report::ImpactTable
  Blocks = Holdup::View::Blocks

  def sample = @sample ||= SampleWindows.new

  def summary
    @summary ||= Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s,
      pairs: sample.pairs)
  end

  def section(limit: 4, language: "en", slow: {})
    rows = Table.rows(summary, limit)
    link = ->(row) { Blocks::Link.new(text: row.name, page: "endpoint", params: {"unit" => row.name}) }
    Table.new(summary, slow:, words: Holdup::View::Words.new(language), link:).call(rows)
  end

  def test_those_that_wait_or_make_others_wait_most_come_first
    names = section.rows.map { |row| row.first.text }

    assert_equal "ReportsController#sales", names.first
    assert_includes names, "OrdersController#index"
    assert_equal 4, names.size
  end

  def test_a_row_has_its_figures_its_bar_and_its_reason
    row = section.rows.first

    assert_equal "1.33", row[1]
    assert_match(/\A\d+ ms\z/, row[2])
    assert_equal "-", row[3]
    assert_instance_of Blocks::Bar, row[4]
    assert_operator row[5].share, :>, 0.5
    assert_match(/\Aholds the GVL, \d+ % of all waits/, row[6])
  end

  def test_for_whom_it_waits_is_a_link
    why = section.rows.find { |row| row.first.text == "OrdersController#index" }.last

    assert_match(/\AGVL: \d+ % of its time; waits \d+ % for Reports#sales/, why.text)
    assert_equal "ReportsController#sales", why.params["unit"]
  end

  def test_its_line_over_time_says_the_peak
    row = Table.rows(summary, 1).first
    line = section(limit: 1, slow: {row => [1_000_000, nil, 3_000_000]}).rows.first[3]

    assert_equal "peak 3.00 ms", line.to_s
  end

  def test_every_reason_has_its_sentence_in_each_language
    keys = %i[holder gvl n_plus_one pool lock transaction upstream io sleep native starved memory cpu calm]
    facts = {share: "5 %", hold_ns: "1 ms", place: "a.rb:1", wait: "x", each: "3", call: "SQL",
             each_ns: "1 ms", objects: "5"}
    %w[en ja].each do |language|
      words = Holdup::View::Words.new(language)
      keys.each { |key| refute_match(/%\{|\[\[/, words.call(:"diagnosis_#{key}", **facts)) }
    end
  end

  def test_is_whole_in_japanese
    assert_equal "待たせた時間", section(language: "ja").columns[5]
  end
end
