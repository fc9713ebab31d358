# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Experiment::Result::DetectableEffectTest < Minitest::Test
  Experiment = Holdup::Experiment::Result
  Metric = Holdup::Compare::Comparison::Metric

  def effect(metric: :cpu_unit, deviation: 0.02, outcomes: 1, before: 20_000_000.0)
    estimate = Holdup::Compare::Estimate.new(metric: Metric::ALL.fetch(metric), before:,
      after: before, deviation:, freedom: 29)
    blocks = Experiment::ArmBlocks.new(SimulatedArms.new(minutes: 30).sides, length_s: 60)
    Holdup::Experiment::LookSchedule::DetectableEffect.new(estimate, blocks:, outcomes:)
  end

  # 1.96 + 0.84 standard errors, a little more with looks on the way and few blocks. With four times the data,
  # half the difference.
  def test_longer_experiments_show_smaller_differences
    one, four = [1800, 4 * 1800].map { |seconds| effect.share(seconds) }
    assert_in_delta 0.02 * 2.8, Math.log(1 + one), 0.006
    assert_in_delta 2.0, one / four, 0.15
  end

  def test_the_time_is_the_shortest_that_shows_the_difference
    seconds = effect.seconds(0.03)
    assert_operator effect.share(seconds), :<=, 0.03
    assert_operator effect.share((seconds * 0.85).to_i), :>, 0.03
    assert_equal 0, seconds % 60
  end

  one_ruby def test_more_figures_take_longer
    assert_operator effect(outcomes: 5).seconds(0.03), :>, effect.seconds(0.03)
  end

  def test_no_time_shows_less_than_the_buckets_of_histograms_do
    assert_nil effect(metric: :wall_p95).seconds(0.01)
    refute_nil effect(metric: :wall_p95).seconds(0.03)
  end

  def test_nothing_is_known_from_too_few_blocks
    unknown = effect(deviation: nil)
    refute_predicate unknown, :known?
    assert_nil unknown.seconds(0.1)
    assert_nil unknown.share(3600)
  end
end
