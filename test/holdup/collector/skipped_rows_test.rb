# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector::SkippedRowsTest < Minitest::Test
  NOW_NS = 1_790_000_000 * 1_000_000_000

  def setup
    @log = CollectedLog.new
    @clock = HandClock.new
    warnings = Holdup::Collector::RateLimitedLog.new(log: @log, clock: @clock)
    @skipped = Holdup::Collector::SkippedRows.new(host: "web-1", warnings:)
    @skipped.start(NOW_NS)
  end

  def test_a_row_says_what_when_where_and_why
    @skipped.add(:window, "A#b", Holdup::Error.new("too long"))
    row = @skipped.rows.first
    expected = {at_s: NOW_NS / 1_000_000_000, host: "web-1", kind: :window, name: "A#b", reason: "too long",
                count: 1}
    assert_equal expected, row.to_h
  end

  # An error of another library is named by its class: its message alone says little.
  def test_an_unexpected_error_is_named
    assert_equal "nil (TypeError)", @skipped.row(:window, "A#b", TypeError.new("nil")).reason
  end

  def test_what_is_guarded_fails_alone
    assert_equal 7, @skipped.guard(:window, "A#b") { 7 }
    assert_nil @skipped.guard(:window, "A#c") { raise ArgumentError, "odd" }
    assert_equal ["A#c"], @skipped.rows.map(&:name)
  end

  # Each round reads the same broken file again.
  def test_a_fault_of_a_file_counts_once
    2.times { lasting(place: 64) }
    lasting(place: 128)
    assert_equal 2, @skipped.rows.size
    @skipped.committed([], ["segment-7"])
    lasting(place: 64)
    assert_empty @skipped.rows
  end

  def test_a_fault_that_was_not_written_counts_in_the_next_round
    lasting
    @skipped.start(NOW_NS)
    lasting
    assert_equal 1, @skipped.rows.size
  end

  def test_a_file_that_is_gone_and_comes_again_counts_again
    lasting
    @skipped.committed([], [])
    lasting
    assert_equal 1, @skipped.rows.size
  end

  def test_the_log_has_how_many_and_the_first_at_most_once_a_minute
    @skipped.add(:window, "A#b", Holdup::Error.new("too long"))
    rejected = @skipped.row(:window, "A#c", Holdup::Error.new("too wide")).with(count: 3)
    @skipped.committed([rejected], [])
    assert_match(/\A4 of what was measured .* the first: window "A#b": too long; /, said)
    @skipped.add(:window, "A#d", Holdup::Error.new("too long"))
    @skipped.committed([], [])
    assert_equal 1, @log.lines.size
  end

  # The log has a segment's own sentence, with its path.
  def test_segments_are_not_named_twice
    lasting
    @skipped.committed([], ["segment-7"])
    assert_empty @log.lines
  end

  private

  def lasting(place: 0)
    @skipped.add_lasting(:segment, "puma", Holdup::Error.new("damaged"), file: "segment-7", place:)
  end

  def said = @log.lines.first.to_s[/\d+ of what.*/]
end
