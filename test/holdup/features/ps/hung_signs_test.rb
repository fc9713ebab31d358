# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/running_units"

class Holdup::Ps::HungSignsTest < Minitest::Test
  include RunningUnits

  def signs(...) = Holdup::Ps::HungSigns.of(open_process(...), NOW_NS)

  def keys(...) = signs(...).map(&:key)

  def idle(name, lasted_s, thread, **facts)
    open_unit(name, elapsed_s: lasted_s, lasted_s:, state: :idle, thread:, **facts)
  end

  def test_what_runs_as_usual_is_no_sign
    assert_empty keys(open_unit("A#x", lasted_s: 60, state: :call), idle("B#x", 60, 2), pools: {"puma" => 5})
    assert_empty keys
  end

  def test_a_gvl_that_was_not_released_for_ten_seconds
    busy = open_unit("A#x", lasted_s: 10, state: :running, holder: true, thread: 1, place: "app/a.rb:3 A#x")
    assert_empty keys(busy, gvl: held(1, lasted_s: 9.9))
    sign = signs(busy, gvl: held(1, lasted_s: 10)).first
    assert_equal :hung_gvl, sign.key
    facts = {pid: 4711, process: "worker 0", name: "A#x", held_ns: 10 * NS, place: "a.rb:3 (A#x)"}
    assert_equal facts, sign.facts
  end

  def test_a_hold_without_a_place_has_a_sentence_of_its_own
    assert_equal [:hung_gvl_unplaced], keys(gvl: held(1, lasted_s: 10, name: "thread:main"))
  end

  def test_a_hold_that_was_seen_long_ago_says_nothing_of_now
    assert_empty keys(gvl: held(1, lasted_s: 60, seen_s: 20))
  end

  def test_all_threads_of_a_pool_wait
    parked = [idle("A#x", 11, 1), idle("B#x", 15, 2)]
    assert_empty keys(*parked, pools: {"puma" => 3})
    sign = signs(*parked, pools: {"puma" => 2}).first
    assert_equal :hung_pool, sign.key
    assert_equal({threads: 2, time_ns: 11 * NS, names: "A#x, B#x"},
      sign.facts.slice(:threads, :time_ns, :names))
  end

  def test_a_thread_that_waits_for_a_short_time_makes_the_pool_work
    assert_empty keys(idle("A#x", 9.9, 1), idle("B#x", 15, 2), pools: {"puma" => 2})
  end

  def test_a_connection_that_never_comes_fills_the_pool_too
    waiting = open_unit("A#x", lasted_s: 30, state: :connection, thread: 1)
    assert_equal [:hung_pool], keys(waiting, pools: {"puma" => 1})
  end

  def test_nested_ones_of_a_thread_are_one_thread
    assert_empty keys(idle("A#x", 11, 1), idle("A#inner", 11, 1), pools: {"puma" => 2})
  end

  def test_each_pool_counts_its_own_threads
    jobs = [idle("Job", 11, 1, pool: "fast"), idle("Job", 11, 2, pool: "slow")]
    assert_empty keys(*jobs, pools: {"fast" => 2, "slow" => 2})
    assert_equal [:hung_pool], keys(*jobs, pools: {"fast" => 2, "slow" => 1})
  end

  def test_a_pool_of_unknown_size_is_not_judged
    assert_empty keys(idle("A#x", 11, 1), pools: {"puma" => nil})
  end

  def test_a_thread_that_sleeps_for_minutes
    sign = signs(idle("A#x", 119, 1), idle("B#x", 120, 2, place: "b.rb:1"), pools: {"puma" => 5}).first
    assert_equal :hung_sleep, sign.key
    assert_equal({name: "B#x", thread: 2, time_ns: 120 * NS, place: "b.rb:1"},
      sign.facts.slice(:name, :thread, :time_ns, :place))
  end

  def test_sleepers_of_a_full_pool_are_told_once
    assert_equal [:hung_pool], keys(idle("A#x", 200, 1), pools: {"puma" => 1})
  end

  def test_of_a_stopped_process_only_that_is_said
    assert_equal [:hung_stopped], keys(idle("A#x", 200, 1), gvl: held(1), pools: {"puma" => 1}, stopped: true)
  end
end
