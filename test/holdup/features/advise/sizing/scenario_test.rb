# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::Sizing::ScenarioTest < Minitest::Test
  Scenario = Holdup::Advise::Sizing::Scenario
  MS = 1_000_000

  def scenario(processes: 2, threads: 5, **options) = Scenario.of(processes:, threads:, vcpus: 2, **options)

  def test_another_kind_of_work_is_assigned_the_other_way
    assert_equal %i[least_busy shared], assignments(scenario)
    assert_equal %i[shared least_busy], assignments(scenario(assignment: :shared))
    assert_equal %i[random random],
      assignments(scenario(assignment: :random, concurrent_assignment: :random))
  end

  def assignments(scenario) = [scenario.assignment, scenario.concurrent_assignment]

  def test_an_assignment_that_is_not_known_is_refused
    error = assert_raises(ArgumentError) { scenario(assignment: :round_robin) }
    assert_includes error.message, ":round_robin"
    assert_raises(ArgumentError) { scenario(concurrent_assignment: :fifo) }
  end

  def test_another_pool_leaves_at_least_one_thread
    assert_equal [2, 2, 0, 100 * MS, 3], scenario(other_threads: [3]).groups.first.words
    error = assert_raises(ArgumentError) { scenario(other_threads: [2, 3]) }
    assert_includes error.message, "5 of 5 threads"
  end

  # The VM looks at its clock every 10 ms.
  def test_a_time_slice_ends_with_a_tick
    slices = [1, 10 * MS, 15 * MS, 100 * MS].map { |ns| scenario(time_slice_ns: ns).groups.first.words[3] }
    assert_equal [10 * MS, 10 * MS, 20 * MS, 100 * MS], slices
  end

  def test_each_step_of_priority_halves_or_doubles_the_time_slice
    slices = [-10, -2, -1, 0, 1].map { |priority| Scenario::ThreadPriority.slice_ns(100 * MS, priority) }
    assert_equal [10 * MS, 30 * MS, 50 * MS, 100 * MS, 200 * MS], slices
  end

  def dispatched(acquisitions, unit_acquisitions: 4, idle_ns: 0, after: 0.0)
    unit = Holdup::Advise::Sizing::Trace::TraceUnit.new(arrival_ns: 0, held_ns: 5 * MS, idle_ns:,
      acquisitions: unit_acquisitions)
    Scenario::DispatchCost.new(held_ns: 2.6 * MS, idle_ns: MS, acquisitions:, after:).around(unit)
  end

  def test_work_before_a_unit_is_added_to_it
    unit = dispatched(3)
    assert_equal 7_600_000, unit.held_ns
    assert_equal MS, unit.idle_ns
    assert_equal 6, unit.acquisitions, "one of them is that in which the unit is taken"
    assert_equal 3, unit.before
    assert_equal 3_600_000, Scenario::DispatchCost.new(held_ns: 2.6 * MS, idle_ns: MS, acquisitions: 1).own_ns
  end

  def test_work_after_a_unit_is_not_its_own
    unit = dispatched(5, after: 0.4)
    assert_in_delta 5 * MS + 0.6 * 2.6 * MS, unit.held_ns, 1
    assert_equal 7, unit.acquisitions
    assert_equal 4, unit.before
    assert_equal 1, unit.after
    assert_in_delta 0.4 * 2.6 * MS, unit.after_ns, 1
    cost = Scenario::DispatchCost.new(held_ns: 2.6 * MS, idle_ns: MS, acquisitions: 5, after: 0.4)
    assert_in_delta 2.56 * MS, cost.before_ns, 1
  end

  # A quarter of an acquisition for each unit is one for every fourth.
  def test_fewer_than_one_acquisition_is_one_for_some_of_the_units
    units = Array.new(1000) { |micros| dispatched(0.25, idle_ns: micros * 1_000) }
    assert_equal({0 => 750, 1 => 250}, units.map(&:before).tally.sort.to_h)
  end

  def test_a_unit_that_takes_nothing_before_it_keeps_its_acquisitions
    assert_equal 4, dispatched(0).acquisitions
    assert_equal 0, dispatched(0).before
    assert_equal 0, dispatched(0.0, unit_acquisitions: 0).acquisitions
  end

  def test_options_of_the_engine
    options = scenario(handoff_ns: 5_000, most: 3, think_ns: 9).options
    assert_equal [[5_000], 3, 9], options.values_at(:handoff_ns, :limit, :think_ns)
    assert_equal %i[least_busy shared], options.values_at(:assignment, :others_assignment)
  end
end
