# frozen_string_literal: true

require "test_helper"
require_relative "../../support/situations"

module Holdup::Advice
  class TimeSliceTest < Minitest::Test
    include Situations

    CONVOY = {"Light#show" => [0.9, 2, 8, 6], "Heavy#show" => [0.1, 250, 10, 1]}.freeze

    def found(**recording)
      find(ThreadRules::TimeSlice, units: unit(cpu: 5),
        recommendation: advised(PlayedRecording.new(minutes: 10, vcpus: 1.0, **recording)))
    end

    def test_light_units_behind_heavy_ones
      told = told(found(shapes: CONVOY, rate: 12.0, slices: true))
      sentence = /Replayed at peak load with the shorter slice, queued \+ stalled at p95: .*/
      command = /\[holdup whatif --slice \d0ms\]\z/
      assert_match(/#{sentence}#{command}/, told["seen"])
      beginning = /In environment RUBY_THREAD_TIMESLICE \(then restart\):\n- RUBY_THREAD_TIMESLICE=100\n\+ /
      ending = /RUBY_THREAD_TIMESLICE=\d0\z/
      assert_match(/#{beginning}#{ending}/, told["do"])
      assert_match(/\Aqueued \+ stalled at the percentile falls by [\d.]+ % of the response/, told["expect"])
    end

    one_ruby def test_nothing_where_it_can_not_be_set_or_brings_nothing
      assert_nil found(shapes: CONVOY, rate: 12.0, slices: false)
      assert_nil found(slices: true)
    end
  end
end
