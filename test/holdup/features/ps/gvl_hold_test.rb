# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/running_units"

class Holdup::Ps::GvlHoldTest < Minitest::Test
  include RunningUnits

  def hold(process) = Holdup::Ps::GvlHold.of(process, NOW_NS)

  def test_nobody_is_known_to_hold_it
    assert_nil hold(open_process(open_unit("A#x", thread: 1)))
  end

  def test_a_request_holds_it_at_its_place
    sales = open_unit("ReportsController#sales", thread: 1, place: "sales_report.rb:30")
    found = hold(open_process(sales, gvl: held(1, lasted_s: 3)))
    assert_equal ["ReportsController#sales", "sales_report.rb:30"], [found.name, found.place]
    assert_equal 3 * NS, found.seen.lasted_ns
  end

  def test_a_thread_outside_of_requests_has_its_own_name
    found = hold(open_process(open_unit("A#x", thread: 1), gvl: held(9, name: "thread:sweep")))
    assert_equal ["thread:sweep", nil, nil], [found.name, found.unit, found.place]
  end

  def test_a_short_hold_is_told_only_where_somebody_waits
    alone = open_unit("A#x", thread: 1)
    waiting = open_unit("B#x", thread: 2, state: :gvl)
    short, long = [9.9, 10].map { |lasted_s| held(1, lasted_s:) }
    told = [[[alone], short], [[alone, waiting], short], [[alone], long]].map do |units, gvl|
      hold(open_process(*units, gvl:)).notable?
    end
    assert_equal [false, true, true], told
    assert_equal [false, true], [short, long].map { |gvl| hold(open_process(alone, gvl:)).long? }
  end
end
