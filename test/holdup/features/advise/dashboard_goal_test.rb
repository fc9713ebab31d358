# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::DashboardGoalTest < Minitest::Test
  def goal(env) = Holdup::Advise::DashboardGoal.of(Holdup::Configuration.build(env:))

  def test_the_promise_is_that_of_the_autoscaler
    slo = goal({"HOLDUP_SCALING" => "p95=300ms"}).fetch(:slo)
    assert_in_delta 0.95, slo.percentile
    assert_equal 300_000_000, slo.limit_ns
  end

  def test_prices_of_the_application
    prices = goal({"HOLDUP_PRICES" => "vcpu=0.04,gb=0.005"}).fetch(:prices)
    assert_kind_of Holdup::Advise::Sizing::CheapestFleet::FleetPrices, prices
  end

  def test_nothing_is_promised_unless_the_application_says_so
    assert_equal({slo: nil, prices: nil}, goal({}))
  end
end
