# frozen_string_literal: true

require "test_helper"
require "holdup/model/memory_peaks"

class Holdup::MemoryPeaksTest < Minitest::Test
  def peaks(*watches)
    watches.each_with_object(Holdup::MemoryPeaks.new) { |watch, peaks| peaks.add(*watch) }
  end

  # As a store gives the facts of a profile.
  def parse(peaks) = Holdup::MemoryPeaks.parse(peaks.facts.transform_keys(&:to_sym))

  def test_the_largest_peak_of_each_name_with_what_was_in_use_of_it
    found = parse(peaks(["A#a", 100, 90], ["A#a", 300, 50], ["A#a", 200, 200], ["B#b", 10, 0]))
    assert_equal [3, 300, 50, 200.0], found["A#a"].then { |one|
      [one.watched, one.bytes, one.live_bytes, one.mean_bytes]
    }
    assert_equal 10, found["B#b"].bytes
  end

  def test_names_with_the_largest_peaks_are_reported
    found = parse(peaks(*Array.new(20) { |number| ["A##{number}", number * 10, 0] }))
    assert_equal (12..19).map { |number| "A##{number}" }.sort, found.keys.sort
  end

  def test_what_takes_nothing_is_left_out
    assert_empty peaks(["A#a", 0, 0]).facts
  end

  def test_a_peak_of_which_the_profile_has_not_all_facts_is_left_out
    facts = peaks(["A#a", 100, 90]).facts.transform_keys(&:to_sym)
    assert_empty Holdup::MemoryPeaks.parse(facts.except(:"peak.0.sum_bytes"))
  end
end
