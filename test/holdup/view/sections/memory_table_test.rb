# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::Sections::MemoryTableTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new

  def window(name, objects:, others: 0, gc: 0)
    sums = {objects:, objects_own_ns: 100 * MS, objects_others_ns: others * MS, gc_ns: gc * MS}
    SAMPLE.window(name, count: 10, sums:, histograms: {running: Holdup::Histogram.of_sum(100 * MS)})
  end

  def table(*windows, language: "en")
    summary = Holdup::Analysis::Summary.new(windows, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s)
    Holdup::View::Sections::MemoryTable.new(summary, words: Holdup::View::Words.new(language), limit: 10)
  end

  def windows = [window("A#a", objects: 90_000), window("B#b", objects: 10_000, gc: 20)]

  def test_nothing_where_no_objects_were_counted
    summary = Holdup::Analysis::Summary.new(SAMPLE.to_a, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s)
    words = Holdup::View::Words.new
    assert_nil Holdup::View::Sections::MemoryTable.new(summary, words:, limit: 10).call
  end

  def test_a_row_for_each_name
    rows = table(*windows).call.rows.to_h { |name, *cells| [name, cells] }
    assert_equal ["9,000", "90.0", "1.80 ms", "0"], rows["A#a"]
    assert_equal ["1,000", "10.0", "200 us", "2.00 ms"], rows["B#b"]
  end

  def test_marks_what_depends_on_others
    found = table(window("A#a", objects: 90_000, others: 101), window("B#b", objects: 0)).call
    assert_match(/\A~/, found.rows.to_h { |name, objects, *| [name, objects] }["A#a"])
  end

  def test_the_sentence
    assert_equal "Each allocates 5,000 objects, together 100 % of all that its processes allocate, and so " \
      "causes 1.00 ms of garbage collection.", table(*windows).sentence
    assert_includes table(*windows, language: "ja").sentence, "5,000 個"
  end
end
