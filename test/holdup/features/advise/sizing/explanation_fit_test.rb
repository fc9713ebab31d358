# frozen_string_literal: true

require "test_helper"
require "support/played_recording"

module Holdup::Advise::Sizing
  class ExplanationFitTest < Minitest::Test
    def figures(response: 100e6, p95: 300e6, wait: 40e6, utilisation: 0.6, handoff: 2e6)
      SelfTest::MeasuredFigures.new(queued_ns: wait / 2, stalled_ns: wait / 2, handoff_ns: handoff,
        response_ns: response, p95_ns: p95, utilisation:)
    end

    def fit
      played = PlayedRecording.new(minutes: 10)
      blocks = played.unit_samples.each_slice(played.unit_samples.size / 10).to_a
      ExplanationFit.new(figures, blocks:, units: played.units)
    end

    def test_the_effective_size_is_the_number_of_equal_weights
      assert_in_delta 4.0, ExplanationFit.effective([0.5] * 4)
      assert_in_delta 1.0, ExplanationFit.effective([1.0, 0.0, 0.0])
      assert_in_delta 1.8, ExplanationFit.effective([2.0, 1.0])
      assert_in_delta 0.0, ExplanationFit.effective([])
    end

    def test_the_largest_weight_is_one_however_unlikely_all_are
      weights = ExplanationFit.weights([-2000.0, -2000.0 - Math.log(4)])
      assert_in_delta 1.0, weights.first
      assert_in_delta 0.25, weights.last
    end

    def test_draws_each_as_often_as_its_weight_says
      drawn = ExplanationFit.draw([0.5, 0.0, 1.5], 40, Random.new(1)).tally
      assert_equal({0 => 10, 2 => 30}, drawn)
    end

    def test_what_was_measured_is_the_likeliest
      likely = fit.call(figures, units: 1000)
      assert_in_delta 0.0, likely
      [{response: 130e6}, {p95: 500e6}, {wait: 80e6}, {utilisation: 0.75}, {handoff: 20e6}].each do |other|
        assert_operator fit.call(figures(**other), units: 1000), :<, likely, other.inspect
      end
    end

    def test_the_further_away_the_less_likely
      near, far = [110e6, 200e6].map { |response| fit.call(figures(response:), units: 1000) }
      assert_operator near, :>, far
    end

    def test_a_short_replay_says_less
      short, long = [100, 10_000].map { |units| fit.call(figures(response: 130e6), units:) }
      assert_operator short, :>, long
    end
  end
end
