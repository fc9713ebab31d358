# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Sizing::CoherencyEstimator::ColdStartCostTest < Minitest::Test
  ColdStartCost = Holdup::Sizing::CoherencyEstimator::ColdStartCost
  IntervalEstimate = Holdup::Sizing::CoherencyEstimator::IntervalEstimate
  CoherencyCost = Holdup::Sizing::CoherencyCost
  MS = 1_000_000
  NO_GROWTH = IntervalEstimate.unknown(0).with(value: 0.0, low: 0.0, high: 0.0)

  def test_finds_the_cost_of_a_rest
    [0.0, 0.2, 1.5].each do |cold|
      estimate = estimate(units(cold:))
      assert_in_delta cold, estimate.value, 0.01, "cold #{cold}"
      assert_operator estimate.low, :<=, estimate.value, "cold #{cold}"
      assert_operator estimate.high, :>=, estimate.value, "cold #{cold}"
    end
  end

  def test_the_interval_has_the_truth_in_spite_of_unlike_units
    covered = 20.times.count do |seed|
      found = estimate(units(cold: 0.3, seed:, sigma: 0.5))
      (found.low..found.high).cover?(0.3)
    end
    assert_operator covered, :>=, 15
  end

  def test_takes_the_growth_off_before
    units = units(cold: 0.2, growth: 0.4)
    grows = NO_GROWTH.with(value: 0.4, low: 0.4, high: 0.4)
    assert_in_delta 0.2, estimate(units, growth: grows).value, 0.01
    assert_operator estimate(units).value, :<, 0.1, "busy units seem slow, so a rest seems to cost less"
  end

  def test_an_uncertain_growth_widens_the_interval
    units = units(cold: 0.2, growth: 0.4)
    certain, uncertain = [0.0, 0.1].map do |either_side|
      estimate(units, growth: NO_GROWTH.with(value: 0.4, low: 0.4 - either_side, high: 0.4 + either_side))
    end
    assert_operator uncertain.low, :<, certain.low - 0.01
    assert_operator uncertain.high, :>, certain.high + 0.01
    assert_in_delta certain.value, uncertain.value
  end

  def test_a_cost_beyond_the_highest_is_the_highest
    assert_in_delta ColdStartCost::HIGHEST, estimate(units(cold: 5.0)).value, 0.01
  end

  def test_too_few_units_give_no_estimate
    fewest = Holdup::Sizing::CoherencyEstimator::FEWEST
    all = units(cold: 0.2, count: fewest)
    refute_nil estimate(all).value
    few = estimate(all.drop(1))
    assert_nil few.value
    assert_equal fewest - 1, few.units
  end

  def test_units_that_never_held_the_gvl_do_not_count
    some = units(cold: 0.2).each_with_index.map do |unit, index|
      (index % 3).zero? ? unit.with(running_ns: 0) : unit
    end
    assert_equal 266, estimate(some).units
    assert_in_delta 0.2, estimate(some).value, 0.01
  end

  def test_equal_rests_give_no_estimate
    [0, 7 * MS, nil].each do |rest_ns|
      estimate = estimate(units(cold: 0.2).map { |unit| unit.with(rest_ns:) })
      assert_nil estimate.value, rest_ns.inspect
    end
  end

  def test_says_by_how_much_rests_varied
    short = estimate(units(cold: 0.2).map { |unit| unit.with(rest_ns: unit.rest_ns / 100) })
    long = estimate(units(cold: 0.2))
    assert_operator long.spread, :>, 2 * short.spread
    assert_includes 2.0..30.0, long.blocks
  end

  private

  def estimate(units, growth: NO_GROWTH) = ColdStartCost.new(units, growth:).estimate

  # Over an hour, every other unit after a rest, the others with one to five more in flight.
  def units(cold:, growth: 0.0, count: 400, seed: 1, sigma: 0.0)
    random = Random.new(seed)
    Array.new(count) do |index|
      rest_ns, in_flight = index.even? ? [random.rand(1..200) * MS, 1] : [0, random.rand(2..6)]
      factor = (1 + growth * Math.log2(in_flight)) * (1 + cold * CoherencyCost.rested(rest_ns))
      unlike = Math.exp(sigma * random.rand(-1.7..1.7))
      SampleProfiles.profile(index * 3_600_000 / count, name: (index % 4 < 2) ? "A#b" : "B#c", rest_ns:,
        running_ns: (8 * MS * factor * unlike).round, in_flight_milli: in_flight * 1000,
        concurrency: in_flight - 1)
    end
  end
end
