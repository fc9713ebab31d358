# frozen_string_literal: true

require "test_helper"
require "holdup/analysis/sizing/what_if"
require_relative "../../../support/played_recording"

module Holdup::Analysis::Sizing
  class WhatIfTest < Minitest::Test
    CONVOY = {"Light#show" => [0.9, 3, 8, 6], "Heavy#show" => [0.1, 120, 10, 4]}.freeze

    def what_if(recording = PlayedRecording.new, **change) = WhatIf.new(recording.recommendation, WhatIf::Change.new(**change), rounds: 6)

    def test_nothing_else_is_nothing_gained
      same = what_if
      assert_equal same.before, same.after
      assert_equal 0.0, same.gain
    end

    def test_another_setting_is_what_the_recommendation_says_of_it
      found = what_if(processes: 2)
      assert_operator found.gain, :>, 0.1
      assert_operator found.interval.begin, :>, 0.05
      assert_equal 2, found.after.candidate.processes
    end

    def test_twice_the_traffic
      found = what_if(factor: 2.0)
      assert_in_delta 2 * found.before.utilisation, found.after.utilisation, 0.05
      assert_operator found.gain, :<, -0.2
    end

    # Counted on both sides are those that stay.
    def test_the_heavy_ones_elsewhere
      found = what_if(PlayedRecording.new(shapes: CONVOY, rate: 30.0), without: "Heavy*")
      assert_operator found.before.response_ns, :<, 0.85 * PlayedRecording.new(shapes: CONVOY, rate: 30.0).recommendation.current.response_ns
      assert_operator found.gain, :>, 0.3
      assert_in_delta 3_000_000, found.demand.held_ns, 300_000
      assert_operator found.touched, :>, 0
    end

    def test_half_the_acquisitions
      found = what_if(halved: "Orders*")
      assert_in_delta found.before.utilisation, found.after.utilisation, 0.02
      assert_operator found.gain, :>, -0.05
      assert_in_delta (0.6 * 2 + 0.4 * 3), found.demand.acquisitions, 0.2
    end

    def test_a_name_that_nobody_has
      assert_equal 0, what_if(without: "Nobody*").touched
    end
  end
end
