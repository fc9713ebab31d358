# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Experiment::LookScheduleTest < Minitest::Test
  LookSchedule = Holdup::Experiment::LookSchedule

  def test_blocks_are_as_long_as_leaves_thirty_of_them
    assert_equal [60, 40], LookSchedule.of(40 * 60).then { |schedule| [schedule.block_s, schedule.blocks] }
    assert_equal [120, 60], LookSchedule.of(2 * 3600).then { |schedule| [schedule.block_s, schedule.blocks] }
    assert_equal 1800, LookSchedule.of(86_400).block_s
  end

  def test_blocks_hold_the_stored_windows_and_whole_cycles
    assert_equal 300, LookSchedule.of(40 * 60, shortest_s: 300).block_s
    assert_equal 480, LookSchedule.of(40 * 60, shortest_s: 480).block_s
  end

  def test_each_look_has_ten_new_blocks_at_least
    assert_equal [12, 24, 36, 48, 60], LookSchedule.of(2 * 3600).sizes
    assert_equal [10, 20, 30, 40], LookSchedule.of(40 * 60).sizes
    assert_equal [8], LookSchedule.of(8 * 60).sizes
  end

  def test_looks_are_reached_by_complete_blocks_only
    schedule = LookSchedule.of(2 * 3600)
    assert_equal [], schedule.reached(11)
    assert_equal [12, 24], schedule.reached(35)
    assert_equal [12, 24, 36, 48, 60], schedule.reached(200)
  end

  def test_the_last_look_of_an_experiment_that_is_over_is_now
    schedule = LookSchedule.of(2 * 3600)
    assert_equal [12, 24, 31], schedule.reached(31, over: true)
    assert_equal [12, 24], schedule.reached(24, over: true)
    early = schedule.levels([12, 24], outcomes: 1, over: true)
    on_the_way = schedule.levels([12, 24], outcomes: 1)
    assert_in_delta on_the_way.first, early.first, 1e-6
    assert_operator early.last, :<, on_the_way.last
  end

  def test_more_figures_need_more_certainty
    schedule = LookSchedule.of(40 * 60, looks: 1)
    assert_in_delta 0.95, schedule.levels([40], outcomes: 1).last, 1e-6
    assert_in_delta 0.99, schedule.levels([40], outcomes: 5).last, 1e-6
  end
end
