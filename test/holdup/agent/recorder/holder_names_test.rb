# frozen_string_literal: true

require "test_helper"
require "holdup/agent/recorder"

class Holdup::Recorder::HolderNamesTest < Minitest::Test
  Unit = Struct.new(:handle, :name, :name_so_far)
  MS = 1_000_000

  def setup
    @holders = Holdup::Recorder::HolderNames.new
  end

  def longest(*holders)
    @holders.longest(holders)
  end

  def opened(handle, name_so_far)
    Unit.new(handle, nil, name_so_far).tap { |unit| @holders.opened(unit) }
  end

  def closed(handle, name)
    opened(handle, "earlier").tap do |unit|
      unit.name = name
      @holders.closed(unit)
    end
  end

  def test_a_running_unit_has_its_present_name
    hog = opened(7, "GET (no route yet)")
    assert_equal ["GET (no route yet)", 3 * MS], longest([7, 3 * MS])
    hog.name_so_far = "A#b"
    assert_equal ["A#b", 3 * MS], longest([7, 3 * MS])
  end

  def test_one_that_has_ended_has_its_last
    closed(7, "A#b")
    assert_equal ["A#b", 3 * MS], longest([7, 3 * MS])
  end

  def test_units_of_the_same_name_are_one
    running = opened(1, "hog")
    closed(2, "hog")
    assert_equal ["hog", 4 * MS], longest([1, 2 * MS], ["thread:main", 3 * MS], [2, 2 * MS])
    assert running
  end

  def test_threads_outside_of_units_have_their_accounts_name
    assert_equal ["thread:sidekiq/fetch", 5 * MS], longest(["thread:sidekiq/fetch", 5 * MS])
  end

  def test_without_holders_is_nil
    assert_nil longest
    assert_nil @holders.longest(nil)
    assert_nil longest([1, MS - 1])
  end

  def test_who_ended_long_ago_is_not_known_by_name
    closed(1, "first")
    1_000.times { |index| closed(2 + index, "later") }
    assert_equal ["(a unit that has ended)", MS], longest([1, MS])
    assert_equal ["later", MS], longest([2, MS])
  end

  def test_what_has_no_name
    hog = opened(1, nil)
    assert_equal ["(a unit without a name)", MS], longest([hog.handle, MS])
  end

  def test_names_are_what_tracers_take
    closed(1, "caf\xe9".b)
    closed(2, "x" * 300)
    closed(3, :symbol)
    assert_equal ["caf\u{fffd}", "x" * 200, "symbol"], [1, 2, 3].map { |handle| longest([handle, MS]).first }
  end

  # As a request that its server forgets.
  def test_a_unit_that_never_ends_is_collectable
    1_000.times { |handle| opened(handle, "x" * 1_000) }
    GC.start
    assert_operator ObjectSpace.each_object(Unit).count, :<, 500
  end
end
