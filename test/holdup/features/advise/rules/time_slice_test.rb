# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class TimeSliceTest < Minitest::Test
    include Situations

    CONVOY = {"Light#show" => [0.9, 2, 8, 6], "Heavy#show" => [0.1, 250, 10, 1]}.freeze

    def found(**recording)
      find(ThreadRules::TimeSlice, units: unit(cpu: 5),
        recommendation: advised(PlayedRecording.new(minutes: 10, vcpus: 1.0, **recording)))
    end

    def test_light_units_behind_heavy_ones
      text = text_of(found(shapes: CONVOY, rate: 12.0, slices: true))
      sentence = /Replayed at peak load with the shorter slice, queued \+ GVL wait at p95: .*/
      command = /\[holdup whatif --slice \d0ms\]\z/
      assert_match(/#{sentence}#{command}/, text["seen"])
      beginning = /In environment RUBY_THREAD_TIMESLICE \(then restart\):\n- RUBY_THREAD_TIMESLICE=100\n\+ /
      ending = /RUBY_THREAD_TIMESLICE=\d0\z/
      assert_match(/#{beginning}#{ending}/, text["do"])
      assert_match(/\Aqueued \+ GVL wait at the percentile falls by [\d.]+ % of the response/, text["expect"])
    end

    # Alone, another slice may bring more than the one that goes with other processes.
    one_ruby def test_says_the_slice_of_the_advised_setting
      recommendation = advised(PlayedRecording.new(minutes: 10, shapes: CONVOY, rate: 12.0, slices: true))
      slices = recommendation.predictions.select { |one|
        one.candidate.with(time_slice_ns: 0) == recommendation.now.with(time_slice_ns: 0)
      }
      longest = slices.reject { |one| one.candidate == recommendation.now }
        .max_by { |one| one.candidate.time_slice_ns }
      recommendation.stub(:verdict, :change) do
        recommendation.stub(:best, longest) do
          text = text_of(find(ThreadRules::TimeSlice, units: unit(cpu: 5), recommendation:))
          assert_includes text["do"], "+ RUBY_THREAD_TIMESLICE=#{longest.candidate.time_slice_ns / 1_000_000}"
        end
      end
    end

    one_ruby def test_nothing_where_it_can_not_be_set_or_brings_nothing
      assert_nil found(shapes: CONVOY, rate: 12.0, slices: false)
      assert_nil found(slices: true)
    end
  end
end
