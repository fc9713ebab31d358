# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/played_recording"

module Holdup::Advise::Sizing
  class AdviceResultTest < Minitest::Test
    RECORDING = PlayedRecording.new(minutes: 6, swing: 0.0)

    def test_has_what_the_recommendation_says
      asked = RECORDING.recommendation(units: 1500)
      found = asked.call
      assert_equal :change, found.verdict
      %i[verdict why reasons gain interval confidence current measured best predictions now amdahl rate
        limits objective].each do |name|
        assert_equal asked.public_send(name), found.public_send(name), name
      end
      assert_equal asked.self_test.grade, found.self_test.grade
      assert_equal asked.self_test.reasons, found.self_test.reasons
      assert_equal [RECORDING.units, RECORDING.demand.idle_share],
        [found.recording.units, found.recording.idle_share]
    end

    def test_without_a_verdict_only_the_reasons_are_known
      mixed = PlayedRecording.new(minutes: 3).tap { |recording| recording.problems << :mixed_settings }
      found = mixed.recommendation.call
      assert_equal [:unknown, [:mixed_settings]], [found.verdict, found.reasons]
      assert_empty found.predictions
      assert_nil found.self_test
      assert_equal mixed.units, found.recording.units
    end
  end
end
