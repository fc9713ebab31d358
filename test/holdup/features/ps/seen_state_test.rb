# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Ps::SeenStateTest < Minitest::Test
  NS = 1_000_000_000

  def seen(since_s, seen_s)
    Holdup::Ps::SeenState.new(since_ns: since_s && since_s * NS, seen_ns: seen_s && seen_s * NS,
      now_ns: 100 * NS)
  end

  def test_a_state_seen_a_moment_ago_lasts_until_now
    refute_predicate seen(90, 99), :old?
    assert_equal 10 * NS, seen(90, 99).lasted_ns
  end

  def test_an_old_state_is_known_only_until_it_was_seen
    assert_predicate seen(90, 95), :old?
    assert_equal 5 * NS, seen(90, 95).lasted_ns
    assert_equal 5 * NS, seen(90, 95).age_ns
  end

  def test_what_was_never_seen_has_no_age
    assert_nil seen(nil, nil).lasted_ns
    assert_nil seen(nil, nil).age_ns
    refute_predicate seen(nil, nil), :old?
  end

  def test_clocks_that_differ_make_no_negative_time
    assert_equal 0, seen(101, 102).lasted_ns
    assert_equal 0, seen(101, 102).age_ns
  end
end
