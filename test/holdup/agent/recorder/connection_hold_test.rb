# frozen_string_literal: true

require "test_helper"
require "holdup/agent/recorder"

class Holdup::Recorder::ConnectionHoldTest < Minitest::Test
  def setup
    @clock = HandClock.new
    @holding = Holdup::Recorder::ConnectionHold.new(@clock)
  end

  def after(ns)
    @clock.monotonic_ns += ns
  end

  def test_counts_from_taking_to_giving_back
    @holding.take
    after 5
    @holding.give_back
    after 7
    assert_equal 5, @holding.end
  end

  def test_several_at_a_time_count_each
    2.times { @holding.take }
    after 5
    @holding.give_back
    after 7
    @holding.give_back
    assert_equal 5 + 12, @holding.end
  end

  def test_what_is_kept_beyond_the_end_counts_up_to_it
    @holding.take
    after 5
    assert_equal 5, @holding.end
    after 7
    @holding.give_back
    assert_equal 5, @holding.end
  end

  def test_so_far
    @holding.take
    after 5
    assert_equal 5, @holding.so_far
    @holding.give_back
    after 7
    assert_equal 5, @holding.so_far
  end

  def test_nothing_taken_is_nothing
    @holding.give_back
    assert_equal 0, @holding.end
  end
end
