# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::ArrivalsTest < Minitest::Test
  def arrivals(seed: 1, rate: 100, seconds: 100)
    routes = [Holdup::Lab::Route.new(label: "often", path: "/often", weight: 3),
      Holdup::Lab::Route.new(label: "rare", path: "/rare")]
    Holdup::Lab::Arrivals.new(routes:, rate:, seconds:, seed:).to_a
  end

  def test_come_in_order_within_the_time
    times = arrivals.map(&:at_ns)
    assert_equal times.sort, times
    assert_operator times.last, :<, 100_000_000_000
    assert_operator times.first, :>=, 0
  end

  # A Poisson process: as many as the rate says (10,000 with a standard deviation of 100), with gaps whose
  # standard deviation is their mean. Evenly spaced arrivals would have none and so never queue.
  def test_are_a_poisson_process
    times = arrivals.map(&:at_ns)
    assert_in_delta 10_000, times.size, 400
    gaps = times.each_cons(2).map { |a, b| (b - a) / 1e9 }
    mean = gaps.sum / gaps.size
    deviation = Math.sqrt(gaps.sum { |gap| (gap - mean)**2 } / gaps.size)
    assert_in_delta 1.0, deviation / mean, 0.05
  end

  def test_mix_routes_by_weight
    shares = arrivals.map { |arrival| arrival.route.label }.tally
    assert_in_delta 0.75, shares["often"].fdiv(shares.values.sum), 0.02
  end

  def test_are_the_same_for_the_same_seed_only
    assert_equal arrivals(seed: 5), arrivals(seed: 5)
    refute_equal arrivals(seed: 5), arrivals(seed: 6)
  end
end
