# frozen_string_literal: true

require "test_helper"
require "support/example_units"
require "support/simulated_recording"
require "support/swept"

# A recording of five threads whose truth at one thread is known, because it comes out of the same arrivals.
class Holdup::Lab::Sweep::PredictorTest < Minitest::Test
  include Swept

  Observed = Struct.new(:demand, :processes, :threads, :time_slice_ns, :kind, :handoff_ns)
  Outcome = Struct.new(:arm, :rate, :seconds, :seen, :unit_samples, :setting, :recording, :wait_ns)
  SECONDS = 120

  def units(threads)
    SimulatedRecording.new(seed: 3, minutes: SECONDS / 60, rate: 20, threads:, sway: 0.1).all
  end

  def mean(unit_samples, field)
    unit_samples.sum(&field).fdiv(unit_samples.size)
  end

  def predictor(unit_samples = units(5))
    demand = Holdup::Advise::Sizing::ServiceDemand.new(held_ns: mean(unit_samples, :running_ns),
      idle_ns: mean(unit_samples, :idle_ns), acquisitions: mean(unit_samples, :acquisitions))
    seen = Holdup::Lab::Load::OpenLoop::Seen.new(total: Struct.new(:count).new(unit_samples.size), routes: {},
      seconds: SECONDS)
    observed = Observed.new(demand, 1, 5, Holdup::Advise::Sizing::Scenario::TIME_SLICE_NS, :request)
    Swept::Sweep::Predictor.new(
      Outcome.new(arm, 20, SECONDS, seen, unit_samples, {"vcpus" => 8}, observed,
        mean(unit_samples, :queued_ns) + mean(unit_samples, :stalled_ns)), round: 1
    )
  end

  def test_plays_the_very_requests_on_another_setting
    truth = units(1).map { |unit_sample| unit_sample.queued_ns + unit_sample.wall_ns }.sort
    predicted = predictor.call(arm(1, 1))
    assert_in_epsilon truth.sum.fdiv(truth.size), predicted.response_ns, 0.02
    assert_in_epsilon truth[(truth.size * 0.95).round], predicted.p95_ns, 0.03
    assert_equal [1, 20, arm(1, 1)], [predicted.round, predicted.rate, predicted.arm]
  end

  def test_the_baseline_is_the_self_test
    truth = units(5)
    assert_in_epsilon mean(truth, :queued_ns) + mean(truth, :stalled_ns),
      predictor.call(arm(again: true)).wait_ns, 0.02
  end

  def test_no_more_than_the_setting_can_do
    assert_operator predictor.call(arm(1, 1)).throughput, :<=, units(1).size / SECONDS.to_f
  end

  def test_does_not_predict_another_jit
    assert_nil predictor.call(arm(1, 1, yjit: true))
    assert_nil predictor.call(arm(1, 1, extra: {"MALLOC_ARENA_MAX" => "2"}))
  end
end
