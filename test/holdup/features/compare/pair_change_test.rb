# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::PairChangeTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new
  MINUTES = 12
  UNITS = 20
  LATER_S = 7200
  SALES = "ReportsController#sales"

  # @param holders [Hash{String => Numeric}] ms that each request waits for each
  # @param stalled [Numeric] ms that each stalls
  def side(holders, late: 0, stalled: 10)
    windows = (0...MINUTES).flat_map do |minute|
      start_s = SAMPLE.from_s + late + minute * 60
      pairs = holders.map { |holder, ms| pair(holder, ms * (1 + 0.05 * Math.sin(minute * 2.4)), start_s) }
      [unit(stalled, start_s), *pairs]
    end
    Holdup::Compare::Side.new(label: "a", windows:, from_s: SAMPLE.from_s + late,
      to_s: SAMPLE.from_s + late + MINUTES * 60)
  end

  def pair(holder, ms, start_s)
    stalled = Holdup::Histogram.of_sum((ms * UNITS * MS).round)
    SAMPLE.window("A#a", kind: :pair, queue: holder, start_s:, histograms: {stalled:})
  end

  def unit(stalled, start_s)
    times = {wall: 50, stalled:}.transform_values { |ms| Holdup::Histogram.of([ms * MS] * UNITS) }
    SAMPLE.window("A#a", start_s:, count: UNITS, histograms: times)
  end

  def comparison(before, after, **options)
    Holdup::Compare::Comparison.new(side(before, **options), side(after, late: LATER_S))
  end

  def changes(...) = comparison(...).pair_changes

  def remarks(...)
    sentences = Holdup::Compare::Sentences.new(comparison(...), words: Holdup::View::Words.new)
    sentences.remarks + sentences.limits
  end

  def test_a_holder_of_one_side_is_new_or_gone
    found = changes({"B#b" => 9}, {SALES => 7})
    assert_equal [["B#b", :gone], [SALES, :new]], found.map { |change| [change.holder, change.key] }
    assert_equal %i[better worse], found.map { |change| change.estimate.verdict }
    assert_in_delta 7 * MS, found.last.estimate.after, 0.2 * MS
  end

  def test_a_holder_of_both_sides_has_changed
    found = changes({SALES => 6, "thread:cron" => 3}, {SALES => 9, "thread:cron" => 3})
    assert_equal [:changed] * 2, found.map(&:key)
    assert_in_delta 0.5, found.first.estimate.relative, 0.01
    assert_equal %i[worse none], found.map { |change| change.estimate.verdict }
  end

  # Hand-off, and what is not named, is nobody to look at.
  def test_only_named_holders_are_compared
    assert_equal [SALES], changes({SALES => 6}, {SALES => 6, "(nobody)" => 1, "(others)" => 1,
                                                 "(unknown)" => 1}).map(&:holder)
  end

  # They would look as if nobody had waited.
  def test_names_whose_pairs_one_side_did_not_record_are_left_out
    assert_empty changes({}, {SALES => 7})
    assert_empty changes({SALES => 2}, {SALES => 7})
    assert_equal [:new], changes({}, {SALES => 7}, stalled: 0).map(&:key)
  end

  def test_says_what_is_new_what_is_gone_and_what_has_changed
    said = remarks({"B#b" => 6, "A#a" => 3}, {SALES => 7, "A#a" => 2.9})
    assert_equal ["A#a waits for ReportsController#sales: new, 7.02 ms in each.",
      "A#a no longer waits for B#b: before, it was 6.02 ms in each."], said.grep(/waits? for/).first(2)
    changed = remarks({"A#a" => 6}, {"A#a" => 9})
    said = /\AA#a waits for others of its name: 9\.\d+ ms in each, before 6\.\d+ ms \(\+\d/
    assert_match(said, changed.grep(/wait/).first)
    assert_empty remarks({SALES => 6}, {SALES => 6.01}).grep(/waits/)
  end

  def test_says_in_one_line_that_one_side_has_no_pairs
    said = "For whom requests and jobs waited was not recorded on the side \"before\", so it is not compared."
    assert_includes remarks({}, {SALES => 7}), said
    assert_empty remarks({SALES => 6}, {SALES => 6}).grep(/not recorded/)
    assert_empty remarks({}, {}).grep(/recorded/)
  end
end
