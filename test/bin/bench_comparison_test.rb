# frozen_string_literal: true

require "test_helper"
require_relative "../../benchmark/support/tracker/setting_comparison"

# How bin/bench judges a prediction, and how it takes the machine's speed out of it.
class BenchComparisonTest < Minitest::Test
  MS = 1_000_000.0

  def test_nothing_is_missed_when_all_came_true
    comparison = compare(figures, figures)
    assert_equal({throughput: 0.0, wait: 0.0, p95: 0.0}, comparison.errors)
    assert_empty comparison.missed
  end

  def test_throughput_and_p95_are_judged_against_what_was_measured
    errors = compare(figures, figures(throughput: 11.0, p95: 300)).errors
    assert_in_delta 0.1, errors[:throughput]
    assert_in_delta(-0.25, errors[:p95])
  end

  def test_a_wait_is_judged_against_the_response
    assert_in_delta(-0.1, compare(figures, figures(wait: 30)).errors[:wait])
  end

  def test_an_error_counts_from_its_limit
    assert_empty compare(figures, figures(throughput: 10.7, wait: 79, p95: 470)).missed
    missed = compare(figures, figures(throughput: 9.1, wait: 81, p95: 490)).missed
    assert_equal %i[throughput wait p95], missed
  end

  def test_a_setting_that_is_nearly_full_is_judged_by_throughput_alone
    comparison = compare(figures(throughput: 8.0), figures(throughput: 10.0, wait: 900), rate: 7.0)
    assert comparison.busy?
    assert_equal [:throughput], comparison.errors.keys
    assert_equal [:throughput], comparison.missed
  end

  def test_times_without_a_prediction_are_missed
    endless = figures.with(wait_ns: Float::INFINITY, p95_ns: Float::INFINITY)
    assert_equal %i[wait p95], compare(figures, endless).missed
  end

  def test_a_prediction_does_not_decide_whether_a_setting_is_nearly_full
    refute compare(figures, figures(throughput: 7.0), rate: 7.0).busy?
  end

  def test_a_slower_machine_serves_less_and_takes_longer
    slowed = figures.slowed(saturated: 1.25, open: 1.1)
    assert_in_delta 8.0, slowed.throughput
    assert_in_delta 55 * MS, slowed.wait_ns
    assert_in_delta 220 * MS, slowed.response_ns
    assert_in_delta 440 * MS, slowed.p95_ns
  end

  def test_a_machine_of_the_same_speed_changes_nothing
    assert_equal figures, figures.slowed(saturated: 1.0, open: 1.0)
  end

  private

  def compare(measured, predicted, rate: 5.0)
    Bench::SettingComparison.new(measured, predicted, rate:)
  end

  # Times in ms.
  def figures(throughput: 10.0, wait: 50, response: 200, p95: 400)
    Bench::SettingFigures.new(throughput:, wait_ns: wait * MS, response_ns: response * MS, p95_ns: p95 * MS)
  end
end
