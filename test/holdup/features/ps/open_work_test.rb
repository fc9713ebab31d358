# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/running_units"

class Holdup::Ps::OpenWorkTest < Minitest::Test
  include RunningUnits

  def test_the_longest_comes_first_whatever_its_process
    a = open_process(open_unit("A#x", elapsed_s: 2), open_unit("A#y", elapsed_s: 30))
    b = open_process(open_unit("B#x", elapsed_s: 7), pid: 4712)
    rows = work(a, b).rows
    assert_equal %w[A#y B#x A#x], rows.map { |row| row.unit.name }
    assert_equal [4711, 4712, 4711], rows.map { |row| row.process.pid }
    assert_equal 30 * NS, rows.first.elapsed_ns
  end

  def test_shorter_ones_are_left_out_if_asked
    process = open_process(open_unit("A#x", elapsed_s: 2), open_unit("A#y", elapsed_s: 5))
    assert_equal %w[A#y], work(process).rows(longer_ns: 5 * NS).map { |row| row.unit.name }
  end

  def test_a_start_in_the_future_is_now
    assert_equal 0, work(open_process(open_unit("A#x", elapsed_s: -3))).rows.first.elapsed_ns
  end

  def test_one_that_runs_holds_the_gvl_only_if_its_thread_does
    a = open_unit("A#x", lasted_s: 1, state: :running, holder: true, thread: 1)
    b = open_unit("B#x", lasted_s: 1, state: :running, thread: 2)
    states = work(open_process(a, b, gvl: held(1))).rows.to_h { |row| [row.unit.name, row.state] }
    assert_equal({"A#x" => :holding, "B#x" => :running}, states)
  end

  def test_of_nested_ones_the_inner_holds_the_gvl
    facts = {lasted_s: 1, state: :running, holder: true, thread: 1}
    inner = open_unit("Inner", elapsed_s: 3, outer: 1, **facts)
    outer = open_unit("Outer", elapsed_s: 9, **facts)
    outer_row, inner_row = work(open_process(inner, outer, gvl: held(1))).rows
    assert_equal :holding, inner_row.state
    assert_equal :running, outer_row.state
    assert_same outer, inner_row.outer
    assert_nil outer_row.outer
  end

  def test_a_state_that_was_never_seen_is_unknown
    assert_equal :unknown, work(open_process(open_unit("A#x"))).rows.first.state
  end

  def test_only_who_waits_for_the_gvl_waits_for_its_holder
    report, order = work(hogged).rows
    assert_nil report.awaited
    assert_equal "ReportsController#sales", order.awaited.name
  end

  def test_objects_of_the_process_since_it_began
    row = work(open_process(open_unit("A#x", objects: 100), objects: 350)).rows.first
    assert_equal 250, row.objects
  end

  def test_a_count_of_objects_that_is_older_than_the_start_says_nothing
    assert_nil work(open_process(open_unit("A#x", objects: 100), objects: 50)).rows.first.objects
    assert_nil work(open_process(open_unit("A#x", objects: 100))).rows.first.objects
    assert_nil work(open_process(open_unit("A#x"), objects: 50)).rows.first.objects
  end

  def test_says_who_holds_the_gvl_where_somebody_waits
    hold = work(hogged).holds.first
    assert_equal "ReportsController#sales", hold.name
    assert_equal 41_200_000_000, hold.seen.lasted_ns
    assert_predicate hold, :long?
  end

  def test_a_short_hold_that_delays_nobody_is_not_worth_a_line
    busy = open_unit("A#x", lasted_s: 9.9, state: :running, holder: true, thread: 1)
    assert_empty work(open_process(busy, gvl: held(1, lasted_s: 9.9))).holds
    assert_equal 1, work(open_process(busy, gvl: held(1, lasted_s: 10))).holds.size
  end

  def test_a_thread_outside_of_requests_may_hold_it
    waiting = open_unit("A#x", lasted_s: 1, state: :gvl, thread: 1)
    hold = work(open_process(waiting, gvl: held(2, lasted_s: 1, name: "thread:main"))).holds.first
    assert_equal "thread:main", hold.name
    assert_nil hold.place
  end

  def test_nobody_may_hold_it
    waiting = open_unit("A#x", lasted_s: 1, state: :gvl)
    assert_empty work(open_process(waiting), open_process(waiting, gvl: held(nil))).holds
  end

  def test_the_longest_hold_comes_first
    short = hogged.with(gvl: held(4718, lasted_s: 3))
    assert_equal [4712, 4711], work(short, hogged.with(pid: 4712)).holds.map { |hold| hold.process.pid }
  end

  def test_signs_of_all_processes
    stopped = open_process(stopped: true)
    assert_equal %i[hung_stopped hung_gvl], work(stopped, hogged).hung.map(&:key)
  end
end
