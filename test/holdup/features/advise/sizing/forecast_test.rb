# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/played_recording"

module Holdup::Advise::Sizing
  class ForecastTest < Minitest::Test
    RECORDING = PlayedRecording.new(minutes: 5, rate: 60.0)
    NOW = Candidate.of(RECORDING)

    def predicted(assignments, processes: 2)
      limits = RECORDING.limits
      guards = Guards.new(RECORDING.demand, limits:, rate: 60.0, current: NOW, kind: :request)
      forecast = Forecast.new(demand: RECORDING.demand, guards:, limits:, current: NOW, rate: 60.0,
        slo: Slo.new, assignments:)
      traffic = Traffic.of(RECORDING.unit_samples, RECORDING.arrivals)
      forecast.call(NOW.with(processes:), traffic.peak(rate: 60.0, units: 3_000), force: true)
    end

    def times(prediction)
      [prediction.wait_ns, prediction.response_ns, *prediction.responses.values, *prediction.waits.values]
    end

    def test_where_it_is_unknown_who_gets_a_request_times_are_in_the_middle
      random, least_busy = [[:random], [:least_busy]].map { |one| times(predicted(one)) }
      both = predicted(%i[random least_busy])
      assert_operator random.first, :>, 1.2 * least_busy.first
      random.zip(least_busy, times(both)) do |one, other, middle|
        assert_in_delta (one + other) / 2.0, middle, 1
      end
      assert_equal %i[random least_busy], both.assignments
    end

    def test_a_single_process_gets_all
      one, both = [[:least_busy], %i[random least_busy]].map { |some| predicted(some, processes: 1) }
      assert_equal one, both
    end
  end
end
