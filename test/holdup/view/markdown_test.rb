# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::MarkdownTest < Minitest::Test
  def markdown(sample = SampleWindows.new)
    summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s)
    Holdup::View::Markdown.new(summary, zone: "UTC").call
  end

  def test_tables_have_as_many_cells_in_each_line
    markdown.split("\n\n").grep(/\A\|/).each do |table|
      cells = table.lines.map { |line| line.gsub("\\|", "").count("|") }
      assert_equal 1, cells.uniq.size, table
    end
  end

  def test_starts_with_the_sentence
    assert_match(/\A# Holdup report\n\n2026.*\n\n\*\*ReportsController\\#sales \(10\.8 % of/, markdown)
  end

  def test_names_are_not_markup
    hostile = SampleWindows.new(
      units: {"<img src=x>|`a`" => {ms: {cpu: 1, stalled: 1}, acquisitions: 1, units: 9,
                                    blame: 1}}, minutes: 1
    )
    report = markdown(hostile)
    refute_match(/(?<!\\)</, report)
    assert_includes report, "\\<img src=x\\>\\|\\`a\\`"
  end

  def test_no_data
    assert_match(/No data on requests and jobs/, markdown(SampleWindows.new(minutes: 0)))
  end
end
