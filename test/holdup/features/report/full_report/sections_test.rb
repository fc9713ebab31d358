# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::FullReport::SectionsTest < Minitest::Test
  SAMPLE = SampleWindows.new

  def summary(windows = SAMPLE.to_a)
    Holdup::Analysis::Summary.new(windows, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s)
  end

  def report(of = summary, **options)
    Holdup::Report::FullReport.new(of, **options)
  end

  def sections(...) = report(...).sections

  def titles(...) = sections(...).map(&:title)

  def test_who_caused_the_stall_comes_before_details
    found = titles
    order = ["Who made others wait", "Where the time", "Amdahl"].map do |beginning|
      found.index { |title| title.start_with?(beginning) }
    end

    assert_equal order.compact.sort, order.compact
    assert_equal 0, order.first
    assert_equal found.uniq, found
  end

  # A recording without jobs, connections or samples of processes has no such tables, and no empty ones.
  def test_leaves_out_what_was_not_recorded
    assert_includes 5...Holdup::Report::FullReport::TABLES.size, sections.size
    sections.each { |section| refute_empty [*section.rows, *section.notes], section.title }
  end

  # A renderer lays cells out by the columns.
  def test_each_row_has_a_cell_for_each_column
    [summary, summary([])].each do |of|
      sections(of, details: true).each do |section|
        sizes = [*section.rows, *section.total && [section.total]].map(&:size).uniq
        assert_equal [section.columns.size], sizes, section.title unless section.columns.empty?
      end
    end
  end

  def test_details_are_added_at_the_end
    plain = titles
    detailed = titles(details: true)

    assert_equal plain, detailed.first(plain.size)
    assert_equal SAMPLE.to_a.map(&:series).uniq.count(&:unit?), detailed.size - plain.size
  end

  def test_the_limit_is_that_of_each_table
    sections(limit: 2).each do |section|
      named = section.rows.count { |row| row.first.to_s.include?("Controller#") }
      assert_operator named, :<=, 2, section.title
    end
  end

  def test_the_states_are_of_all_units
    split = report.page.blocks.grep(Holdup::View::Blocks::Split).first

    assert_in_delta 100, split.rows.map { |row| row.share.to_f }.sum, 0.05 * split.rows.size
    assert_in_delta 1, split.bar.parts.values.sum
  end
end
