# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::CheckTest < Minitest::Test
  Lab = Holdup::Lab

  def figures(acquisitions: 4, longest_hold_ns: 5_000_000, p95_ns: 90_000_000, count: 200)
    Lab::Endpoints::EndpointFigures.new(count:, acquisitions:, longest_hold_ns:, p95_ns:)
  end

  def check(after, before = {"A#a" => figures, "B#b" => figures}, tolerance: 0.1)
    Lab::Check.new(Lab::Check::Baseline.new(nil, before), after, tolerance:)
  end

  def text(check, language = "en")
    page = Lab::Check::Report.new(check, tolerance: 0.1, words: Holdup::View::Words.new(language)).page
    Holdup::View::Text.new(page).call
  end

  def test_the_same_passes
    found = check({"A#a" => figures, "B#b" => figures})
    assert_predicate found, :passed?
    assert_match(/^Passed: none of 2 endpoints got worse/, text(found))
  end

  def test_one_more_acquisition_is_worse_at_any_tolerance
    found = check({"A#a" => figures(acquisitions: 5), "B#b" => figures}, tolerance: 0.9)
    assert_equal [["A#a", :acquisitions, 0.25]], found.worse.map { |row| [row.name, row.key, row.change] }
    assert_match(/^FAILED: A#a got worse/, text(found))
    assert_match(/^A#a +5! +4 +5.00 ms/, text(found))
  end

  def test_times_may_grow_by_the_tolerance
    assert_predicate check({"A#a" => figures(longest_hold_ns: 5_490_000, p95_ns: 98_000_000)}), :passed?
    assert_equal [:longest_hold_ns], check({"A#a" => figures(longest_hold_ns: 5_600_000)}).worse.map(&:key)
    assert_equal [:p95_ns], check({"A#a" => figures(p95_ns: 100_000_000)}).worse.map(&:key)
    assert_predicate check({"A#a" => figures(acquisitions: 1, longest_hold_ns: 1, p95_ns: 1)}), :passed?
  end

  # Who has to wait longer is not who has to be mended.
  def test_names_what_is_worse_and_its_likely_cause
    said = text(check({
      "A#a" => figures(acquisitions: 16, longest_hold_ns: 9_000_000),
      "B#b" => figures(p95_ns: 143_000_000)
    })).gsub(
      /\s+/, " "
    )
    assert_includes said, "! A#a: it takes the GVL 16 times instead of 4 (more queries or calls, as with " \
      "an N+1); it holds the GVL for 9.00 ms at a time instead of 5.00 ms. " \
      "! B#b: its p95 is 143 ms instead of 90.0 ms, " \
      "though it takes and holds the GVL as before: it waits for others, or computes more."
  end

  def test_says_what_was_not_compared
    found = check({"A#a" => figures(count: 5, acquisitions: 100), "C#c" => figures})
    assert_predicate found, :passed?
    assert_equal [["C#c"], ["B#b"], ["A#a"]], [found.added, found.gone, found.thin]
    assert_match(
      /New, not compared: C#c.*Missing now: B#b.*Fewer than 30 requests, not compared: A#a/m, text(found)
    )
  end

  def test_for_programs
    row = check({"A#a" => figures(acquisitions: 5)}).to_h[:endpoints]["A#a"]
    assert_equal({before: 4, after: 5, limit: 4, worse: true}, row[:acquisitions])
  end

  def test_fits_in_80_columns_in_each_language
    found = check({"Admin::SomeVeryLongController#with_a_long_action" => figures(acquisitions: 5)},
      {"Admin::SomeVeryLongController#with_a_long_action" => figures})
    %w[en ja].each do |language|
      assert_empty text(found, language).lines(chomp: true).select { |line|
        Holdup::View::Width.of(line) > 80
      }
    end
  end
end
