# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::Sizing::CoherencyCostTest < Minitest::Test
  Cost = Holdup::Advise::Sizing::CoherencyCost

  def test_alone_in_a_busy_process_nothing_costs_more
    cost = Cost.new(growth: 0.1, marking: 0.02, cold: 0.2, idle_growth: 0.1)
    assert_equal [1.0, 1.0], [cost.factor(in_flight: 1), cost.idle_factor(1)]
    assert_equal 1.0, cost.factor(in_flight: 0.4), "less than one in flight is no gain"
  end

  def test_each_doubling_adds_its_growth
    cost = Cost.new(growth: 0.1, idle_growth: 0.05)
    assert_in_delta 1.1, cost.factor(in_flight: 2)
    assert_in_delta 1.3, cost.factor(in_flight: 8)
    assert_in_delta 1.15, cost.idle_factor(8)
  end

  def test_each_further_one_is_marked
    assert_in_delta 1.14, Cost.new(marking: 0.02).factor(in_flight: 8)
  end

  def test_a_rest_costs_on_top_of_that
    cost = Cost.new(growth: 0.1, cold: 0.2)
    assert_in_delta 1.1 * 1.1, cost.factor(in_flight: 2, rested: Cost.rested(Cost::HALF_NS))
    assert_in_delta 1.1 * 1.2, cost.factor(in_flight: 2, rested: 1.0)
  end

  def test_how_rested
    assert_equal 0.0, Cost.rested(nil)
    assert_equal 0.0, Cost.rested(0)
    assert_in_delta 0.5, Cost.rested(Cost::HALF_NS)
    assert_operator Cost.rested(100 * Cost::HALF_NS), :<, 1.0
  end

  # What a unit waits, and a rest, have another cause.
  def test_scaled_by_a_factor_only_what_others_cost_grows
    scaled = Cost.new(growth: 0.1, marking: 0.02, cold: 0.2, idle_growth: 0.3).scaled_by(2)
    assert_equal Cost.new(growth: 0.2, marking: 0.04, cold: 0.2, idle_growth: 0.3), scaled
  end
end
