# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::EstimateTest < Minitest::Test
  Comparison = Holdup::Compare::Comparison
  US = 1000
  MS = 1_000_000

  def test_ignores_a_significant_difference_of_nanoseconds
    found = estimate(:stalled_mean, 40.0, 60.0)
    assert_equal [:more, :none], [found.direction, found.verdict]
    assert_predicate found, :irrelevant?
  end

  def test_every_metric_has_a_least_difference
    Comparison::Metric::ALL.each_value do |metric|
      assert_operator metric.least, :>, 0, metric.name
      before = metric.least * 1000.0
      [0.5, 2].each do |times|
        found = estimate(metric.name, before,
          before + times * [metric.least, metric.least_share * before, metric.resolution * before].max)
        assert_equal times < 1, found.verdict == :none, "#{metric.name}: #{times} times the least"
      end
    end
  end

  def test_ignores_a_difference_below_a_hundredth
    assert_equal :none, estimate(:cpu_unit, 10.0 * MS, 10.05 * MS).verdict
    assert_equal :worse, estimate(:cpu_unit, 10.0 * MS, 10.2 * MS).verdict
  end

  def test_judges_the_difference_itself_when_it_was_zero_before
    assert_equal [:none, :worse], [0.0001, 0.01].map { |after| estimate(:errors, 0.0, after).verdict }
  end

  def test_what_is_not_sure_is_not_too_small
    refute_predicate estimate(:stalled_mean, 40.0, 60.0, deviation: 1.0), :irrelevant?
  end

  def test_the_smallest_difference_that_would_have_been_shown_matters
    assert_operator estimate(:stalled_mean, 40.0 * US, 41.0 * US).visible, :>=, 0.5
  end

  def test_a_verdict_of_small_differences_is_none
    found = %i[wall_p50 wall_p95 cpu_unit].to_h { |name| [name, estimate(name, 10.0 * MS, 10.001 * MS)] }
    assert_equal :none, Comparison::ComparisonVerdict.new(found).call.key
  end

  # The page has the bounds that hold.
  def test_the_bounds_are_documented
    page = File.read(File.expand_path("../../../../docs/guide/compare.md", __dir__))
    {wall_mean: "20 us", stalled_mean: "20 us", cpu_unit: "5 us", gc_unit: "5 us"}.each do |name, text|
      assert_equal text.to_i * US, Comparison::Metric::ALL[name].least
      assert_match(/^ *\| .* \| #{text} \|$/, page)
    end
    assert_includes page, "| all | #{(Comparison::Metric::LEAST_SHARE * 100).round} % of what it was |"
  end

  private

  # As sure as can be.
  def estimate(name, before, after, deviation: 1e-6)
    Holdup::Compare::Estimate.new(metric: Comparison::Metric::ALL.fetch(name), before:, after:, deviation:,
      freedom: 20)
  end
end
