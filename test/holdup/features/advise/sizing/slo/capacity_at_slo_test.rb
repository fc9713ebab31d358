# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../../support/played_recording"

module Holdup::Advise::Sizing
  class CapacityAtSloTest < Minitest::Test
    UNITS = 4000
    RECORDING = PlayedRecording.new(minutes: 12)

    def capacity(slo, recording: RECORDING, **options)
      slo = Slo.parse(slo)
      found = recording&.recommendation(objective: Objective.new(slo:), open: true, **options)
      Slo::CapacityAtSlo.new(found, slo:, units: UNITS).call
    end

    def test_the_predicted_percentile_is_at_the_limit_there
      figure = capacity("p95=150ms")
      assert_nil figure.reason
      assert_equal 1, figure.processes
      at = ->(rate) {
        found = RECORDING.recommendation(objective: Objective.new(slo: Slo.parse("p95=150ms")))
        forecast = found.forecast(rate:)
        trace = found.traffic.peak(rate:, units: UNITS)
        forecast.call(found.now, trace, force: true).responses[0.95]
      }
      assert_operator at.call(figure.per_second), :<=, 150_000_000
      assert_operator at.call(figure.per_second * 1.1), :>, 150_000_000
    end

    one_ruby def test_a_stricter_promise_leaves_less
      strict, loose = %w[p95=100ms p95=400ms].map { |slo| capacity(slo).per_second }
      assert_operator strict, :<, loose
    end

    one_ruby def test_a_promise_that_no_load_keeps_has_no_capacity
      assert_equal [nil, :slo_out_of_reach], capacity("p95=5ms").to_h.values_at(:per_second, :reason)
    end

    def test_without_a_limit_there_is_no_capacity
      assert_equal :no_slo, capacity("p95").reason
    end

    def test_without_a_recording_there_is_none
      assert_equal :no_recording, capacity("p95=1s", recording: nil).reason
    end

    def test_says_why_a_recording_allows_no_answer
      recording = PlayedRecording.new(minutes: 2)
      recording.problems = [:mixed_settings]
      assert_equal :mixed_settings, capacity("p95=1s", recording:).reason
    end

    one_ruby def test_jobs_need_no_promise
      jobs = PlayedRecording.new(kind: :job, shapes: {"SyncJob" => [1.0, 5, 45, 6]}, rate: 25.0, minutes: 12)
      figure = capacity("p95", recording: jobs)
      assert_nil figure.reason
      assert_in_delta 90, figure.per_second, 15
    end
  end
end
