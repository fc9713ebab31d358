# frozen_string_literal: true

require "test_helper"
require "holdup/model/prediction_outcome"

class Holdup::PredictionOutcomeTest < Minitest::Test
  def outcome(**facts)
    Holdup::PredictionOutcome.new(at_s: 9, app: "shop", kind: :job, pool: "", setting: "f", from_s: 1,
      to_s: 2, processes: 1, threads: 3, time_slice_ns: 9, units: 100, figures: {}, **facts)
  end

  # What was measured later of the same prediction replaces it.
  def test_what_was_measured_is_no_part_of_its_key
    later = outcome(at_s: 10, units: 7, figures: {response: 1})
    assert_equal outcome.key, later.key
  end

  def test_each_setting_and_application_has_a_key_of_its_own
    [{app: "admin"}, {kind: :request}, {pool: "mails"}, {setting: "g"}, {from_s: 0}, {to_s: 3},
      {processes: 2}, {threads: 4}, {time_slice_ns: 8}].each do |facts|
      refute_equal outcome.key, outcome(**facts).key, facts
    end
  end

  def test_an_error_is_that_of_the_prediction_against_the_measurement
    quantity = Holdup::PredictionOutcome::Quantity.new(recorded_ns: 9, replayed_ns: 9, predicted_ns: 120,
      measured_ns: 100)
    response = quantity.with(measured_ns: 400)
    found = outcome(figures: {p95: quantity, response:, wait: quantity})
    assert_in_delta 0.2, found.error(:p95)
    assert_in_delta 0.05, found.error(:wait), 1e-9, "of the response"
    assert_nil outcome(figures: {wait: quantity}).error(:wait)
    assert_nil outcome(figures: {p95: quantity.with(measured_ns: 0)}).error(:p95)
  end

  def test_whether_the_measurement_was_inside_the_interval
    inside = lambda do |lowest_ns, highest_ns|
      quantity = Holdup::PredictionOutcome::Quantity.new(recorded_ns: 9, replayed_ns: 9, predicted_ns: 120,
        measured_ns: 100, lowest_ns:, highest_ns:)
      outcome(figures: {p95: quantity}).inside?(:p95)
    end
    assert_equal [true, true, false, false], [inside.call(100, 130), inside.call(90, 100),
      inside.call(101, 130), inside.call(80, 99)]
    assert_nil inside.call(nil, nil)
    assert_nil outcome(figures: {}).inside?(:p95)
  end
end
