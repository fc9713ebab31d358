# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class LowerPriorityTest < Minitest::Test
    include Situations

    SHAPES = {"Heavy#show" => [0.1, 250, 10, 1], "Light#show" => [0.9, 2, 8, 6]}.freeze

    def found(slices: false, shapes: SHAPES, hold_ms: 120, **recording)
      units = {"Heavy#show" => {ms: {cpu: hold_ms, stalled: 5}, acquisitions: 1, units: 20,
                                blame: 80}}.merge(unit("Light#show", units: 200, blame: 20, cpu: 2,
                                  stalled: 60))
      find(ThreadRules::LowerPriority, units:,
        recommendation: advised(PlayedRecording.new(shapes:, rate: 12.0, minutes: 10, vcpus: 1.0, slices:,
          **recording)))
    end

    def test_lowers_the_priority_on_a_ruby_without_a_time_slice
      text = text_of(found)
      assert_match(/\ALet threads that run Heavy#show give way sooner/, text["what"])
      sentence = /lower by 2 while it runs, queued \+ GVL wait at p95: .*/
      command = /\[holdup whatif --priority 'Heavy#show=-2'\]\z/
      assert_match(/#{sentence}#{command}/, text["seen"])
      assert_match(/Write: Thread\.current\.priority -= 2, ensure \+= 2\z/, text["do"])
      assert_match(/\Aqueued \+ GVL wait at the percentile falls by [\d.]+ % of the response/, text["expect"])
    end

    def test_no_finding_where_the_slice_can_be_set_or_native_code_holds
      assert_nil found(slices: true)
      assert_nil found(hold_ms: 400), "native code"
    end

    one_ruby def test_nothing_where_it_brings_nothing
      assert_nil found(shapes: {"Heavy#show" => [0.1, 20, 10, 1], "Light#show" => [0.9, 2, 8, 6]})
    end
  end
end
