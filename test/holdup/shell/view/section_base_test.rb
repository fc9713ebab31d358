# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::SectionBaseTest < Minitest::Test
  # Shows what its subclasses use.
  class Shown < Holdup::View::SectionBase
    public :shown, :hidden, :more, :label, :row_label, :title_of_names, :amount, :each_unit, :figures_section
  end

  SAMPLE = SampleWindows.new(minutes: 1)

  def section(windows = SAMPLE.to_a, limit: 15, language: "en", **options)
    summary = Holdup::Analysis::Summary.new(windows, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s, **options)
    Shown.new(summary, words: Holdup::View::Words.new(language), limit:)
  end

  def test_rows_beyond_the_limit_are_counted
    one = section(limit: 3)

    assert_equal 3, one.shown.size
    assert_equal 5, one.hidden.size
    assert_equal ["... and 5 more (--limit)"], one.more
    assert_equal ["... and 1 more (--limit)"], section(limit: 7).more
  end

  def test_no_row_is_missing_at_the_limit
    [8, 9, 1000].each { |limit| assert_empty section(limit:).more, limit }
    assert_empty section([]).more
    assert_equal 8, section(limit: 0).hidden.size
  end

  def test_a_label_has_the_queue_that_the_name_does_not_say
    one = section
    assert_equal "ReportJob [critical]", one.label("ReportJob", queue: "critical")
    assert_equal "critical", one.label("critical", queue: "critical")
    assert_equal "ReportJob", one.label("ReportJob")
  end

  def test_a_label_can_not_write_to_the_terminal
    assert_equal "?[31m [?]", section.label("\e[31m", queue: "\u202E")
  end

  def jobs(queue)
    [SAMPLE.window("ReportJob", kind: :job, queue:, count: 3,
      histograms: {wall: Holdup::Histogram.of([5_000_000] * 3)})]
  end

  def test_work_without_a_queue_is_named_only_in_a_table_of_queues
    by_queue = section(jobs(nil), by: :queue)
    by_name = section(jobs(nil))

    assert_equal Holdup::View::Words.new.call(:no_queue_job), by_queue.row_label(by_queue.shown.first)
    assert_equal "ReportJob", by_name.row_label(by_name.shown.first)
    low = section(jobs("low"), by: :queue)
    assert_equal "low", low.row_label(low.shown.first)
  end

  def test_the_first_column_says_what_rows_are
    titles = %i[name queue setting].map { |by| section(by:).title_of_names }
    assert_equal titles.uniq, titles
    refute_equal section(by: :queue).title_of_names, section(by: :queue, language: "ja").title_of_names
  end

  def test_whole_amounts_have_no_fraction
    one = section
    {2 => "2", 2.04 => "2", 1.96 => "2", 2.06 => "2.06", 1.5 => "1.50", 12_345.0 => "12,345", 0 => "0",
     0.3 => "0.30", nil => "-"}.each { |number, text| assert_equal text, one.amount(number), number.inspect }
  end

  def test_the_mean_of_a_row_without_units_is_unknown
    one = section([SAMPLE.window("A", count: 4, histograms: {wall: Holdup::Histogram.of([1_000_000] * 4)})])
    row = one.shown.first

    assert_equal "2.00 ms", one.each_unit(row, 8_000_000)
    nothing = Holdup::Analysis::Summary.new([], from_s: 0, to_s: 60).total
    assert_equal "-", one.each_unit(nothing, 5)
  end

  def test_each_row_and_the_total_have_the_same_columns
    found = section(limit: 2).figures_section(:states, %w[count], notes: ["a note"]) { |row| [row.count] }

    assert_equal 2, found.columns.size
    assert_equal [2], found.rows.map(&:size).uniq
    assert_equal ["all", SAMPLE.to_a.sum(&:count)], found.total
    assert_equal ["... and 6 more (--limit)", "a note"], found.notes
  end
end
