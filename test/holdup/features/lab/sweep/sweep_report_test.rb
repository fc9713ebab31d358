# frozen_string_literal: true

require "test_helper"
require "support/swept"

class Holdup::Lab::Sweep::SweepReportTest < Minitest::Test
  include Swept

  def readings(p95_ms, again: 104, **options)
    [reading(arm, **options), reading(arm(again: true), p95_ms: again, **options),
      reading(arm(1, 3), p95_ms:, **options)]
  end

  def test_what_is_less_than_two_runs_of_the_same_differ_is_chance
    assert_nil result(*readings(90, again: 115)).best
    assert_in_delta 0.15, result(*readings(90, again: 115)).noise(40)
    found = result(*readings(80))
    assert_equal [arm(1, 3), 0.05], [found.best.arm, found.noise(40)]
    assert_in_delta 0.2, found.gain(found.best)
  end

  def test_of_those_that_are_as_good_the_smallest
    plan = plan(arms: [arm, arm(2, 5), arm(1, 3)])
    found = result(*readings(81), reading(arm(2, 5), p95_ms: 80), plan:)
    assert_equal arm(1, 3), found.best.arm
  end

  def test_has_no_noise_and_no_best_before_the_baseline_ran_twice
    found = result(reading(arm), reading(arm(1, 3), p95_ms: 10))
    assert_nil found.noise(40)
    assert_nil found.best
  end

  def test_medians_of_the_rounds
    found = result(*[90, 100, 400].each_with_index.map { |p95_ms, round| reading(arm, p95_ms:, round:) })
    assert_in_delta 100e6, found.lines(40).first.percentile(0.95)
  end

  def test_the_highest_rate_without_overload
    plan = plan(rates: [40, 80, 160], slo: "p95=200ms")
    found = result(
      reading(arm),
      reading(arm, rate: 80, sent: 810, throughput: 79.0),
      reading(arm, rate: 160, sent: 1600, throughput: 120.0),
      reading(arm(1, 3)),
      reading(arm(1, 3), rate: 80, sent: 800, throughput: 80.0, p95_ms: 300),
      plan:
    )
    assert_equal [80, 40], [arm, arm(1, 3)].map { |one| found.capacity(one) }
    assert_equal 160, found.rate
  end

  def test_measured_and_predicted_side_by_side
    line = result(*readings(100),
      predictions: [prediction(arm), prediction(arm(1, 3), p95_ms: 90)]).lines(40).last
    errors = line.errors(0.95)
    assert_in_delta 0.0, errors[:throughput]
    assert_in_delta 0.05, errors[:wait]
    assert_in_delta(-0.1, errors[:percentile])
    assert_empty result(*readings(100)).lines(40).last.errors(0.95)
  end

  def test_for_programs
    hash = result(*readings(80), predictions: [prediction(arm)]).to_h
    assert_equal [40, 0.05, 0.2, arm(1, 3).to_h], hash[:verdict].values_at(:rate, :noise, :gain, :best)
    assert_equal [0, 3, 3], [hash[:left], hash[:readings].size, hash[:lines].size]
    assert_equal 110e6, hash[:lines].first[:predicted][:p95_ns]
  end
end
