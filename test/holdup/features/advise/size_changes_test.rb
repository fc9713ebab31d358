# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::SizeChangesTest < Minitest::Test
  HOUR_S = 3600
  START_S = 1_790_000_000 / HOUR_S * HOUR_S
  FACTS = {"server" => "puma", "workers" => 1, "threads" => 5, "db_pool" => 5, "ruby" => "3.3.8"}.freeze

  # @param seen [Hash{Hash => Enumerable}] differing facts => the hours in which requests ran under them
  def changes(seen)
    starts = seen.flat_map do |facts, hours|
      setting = Holdup::Setting.new(attributes: FACTS.merge(facts))
      hours.map { |hour| [START_S + hour * HOUR_S, setting] }
    end
    Holdup::Advise::SizeChanges.new(starts).to_a
  end

  def hours(second) = (second - START_S).fdiv(HOUR_S)

  def test_a_change_of_the_processes_with_the_two_hours_after_it
    found = changes({} => 0..3, {"workers" => 2} => 4..8)
    assert_equal [[4, 4, 6]], found.map { |one| [one.changed_s, one.since_s, one.to_s].map { hours(_1) } }
    assert_equal({"workers" => [1, 2]}, found.first.sizes)
    assert_equal found.first.to_s + Holdup::Advise::SizeChanges::COMPLETE_AFTER_S, found.first.ready_s
    assert_nil found.first.confounder
  end

  def test_no_change_without_a_setting_shortly_before
    assert_empty changes({"workers" => 2} => 4..8)
    assert_empty changes({} => 0..1, {"workers" => 2} => 9..12)
  end

  # As long as both run, as in a deployment that takes its time, the old one is not gone.
  def test_the_span_begins_when_the_setting_before_is_gone
    found = changes({} => 0..6, {"workers" => 2} => 4..8)
    assert_equal [4, 7], [found.first.changed_s, found.first.since_s].map { hours(_1) }
  end

  def test_a_setting_that_comes_back_is_a_change_of_its_own
    found = changes({} => [0, 1, 2, 6, 7], {"threads" => 3, "db_pool" => 3} => [3, 4, 5])
    assert_equal [[5, 3], [3, 5]], found.map { |one| one.sizes.fetch("threads") }
    assert_equal [nil, nil], found.map(&:confounder)
    assert_equal [3, 6], found.map { |one| hours(one.changed_s) }
  end

  def test_a_pause_without_requests_is_no_change
    assert_empty changes({} => [0, 1, 9, 10])
  end

  def test_what_else_changed_at_the_same_time
    found = ->(facts) { changes({} => 0..3, {"workers" => 2, **facts} => 4..8).first.confounder }
    assert_equal :revision, found.call("revision" => "b")
    assert_equal :other_settings, found.call("ruby" => "3.4.5")
    assert_equal :other_settings, found.call("db_pool" => 20), "a pool that does not follow the threads"
    assert_nil found.call("arm" => "b"), "a label"
  end

  def test_a_deployment_alone_is_no_change_of_the_size
    assert_empty changes({} => 0..3, {"revision" => "b"} => 4..8)
  end

  def test_applications_change_apart
    assert_empty changes({"app" => "shop"} => 0..3, {"app" => "admin", "workers" => 2} => 4..8)
    both = {{"app" => "shop"} => 0..3, {"app" => "shop", "workers" => 2} => 4..8, {"app" => "admin"} => 0..8}
    assert_equal 1, changes(both).size
  end

  def test_it_is_known_again_once_minutes_are_rolled_up
    one, other = [0, 17 * 60].map do |seconds|
      late = Holdup::Setting.new(attributes: FACTS.merge("workers" => 2))
      starts = [[START_S, Holdup::Setting.new(attributes: FACTS)], [START_S + HOUR_S + seconds, late]]
      Holdup::Advise::SizeChanges.new(starts).to_a.first
    end
    refute_equal one.changed_s, other.changed_s
    assert_equal one.key, other.key
  end
end
