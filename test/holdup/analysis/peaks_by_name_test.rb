# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::PeaksByNameTest < Minitest::Test
  # @param watches [Array<Array(String, Integer, Integer)>] name, bytes, and bytes in use
  def sample(pid, *watches, at_s: 60)
    peaks = watches.each_with_object(Holdup::MemoryPeaks.new) { |watch, all| all.add(*watch) }
    {at_s:, host: "web-1", pid:, start: 1, **peaks.facts.transform_keys(&:to_sym)}
  end

  def peaks(*samples) = Holdup::Analysis::PeaksByName.new(samples)

  def test_the_largest_of_all_processes
    found = peaks(sample(1, ["A#a", 100, 40]), sample(2, ["A#a", 300, 20], ["B#b", 9, 9]))
    assert_equal [2, 300, 20], found["A#a"].then { |one| [one.watched, one.bytes, one.live_bytes] }
    assert_equal "A#a", found.largest.first
  end

  def test_the_last_sample_of_a_process_has_all
    found = peaks(sample(1, ["A#a", 10, 0], ["A#a", 30, 0], at_s: 120), sample(1, ["A#a", 10, 0]))
    assert_equal 2, found["A#a"].watched
  end

  def test_a_name_that_the_profile_cut_is_found
    long = "A" * 150
    assert_equal 5, peaks(sample(1, [long[0, Holdup::FlatJson::LONGEST_VALUE], 5, 0]))[long].bytes
  end

  def test_nothing_is_known_of_processes_without_watches
    found = peaks({at_s: 60, host: "web-1", pid: 1, start: 1})
    refute_predicate found, :any?
    assert_nil found["A#a"]
    assert_nil found.largest
  end

  def test_the_memory_of_containers_is_not_that_of_a_process
    refute_predicate peaks(sample(0, ["A#a", 5, 0])), :any?
  end
end
