# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class IsolateEndpointsTest < Minitest::Test
    include Situations

    SHAPES = {"Export#csv" => [0.2, 40, 40, 4], "Light#show" => [0.8, 4, 20, 4]}.freeze

    def recommendation
      PlayedRecording.new(shapes: SHAPES, rate: 25.0, minutes: 6, swing: 0.0).then { |recording|
        advised(recording)
      }
    end

    def units(blame: 90, cpu: 40)
      unit("Export#csv", units: 20, acquisitions: 4, blame:, cpu:, stalled: 5,
        io: 40).merge(unit("Light#show", units: 80, acquisitions: 4, blame: 10, cpu: 8, stalled: 30, io: 20))
    end

    def test_more_of_the_stall_than_of_the_cpu
      text = text_of(found = find(GvlRules::IsolateEndpoints, units:, recommendation:))
      assert_equal ["Export#csv", "whatif --own-pool 'Export#csv'"], found.facts.values_at(:name, :query)
      sentence = /\AIt causes 8\d.\d % of the GVL wait with 54.\d % of the CPU\. Replayed with one more/
      assert_match(sentence, text["seen"])
      assert_operator found.gain, :>, WORTH
      assert_operator found.interval.begin, :>, 0
    end

    def test_nothing_where_it_takes_what_it_computes_or_is_a_convoy
      recommendation = self.recommendation
      assert_nil find(GvlRules::IsolateEndpoints, units: units(blame: 12), recommendation:)
      assert_nil find(GvlRules::IsolateEndpoints, units: units(cpu: 400), recommendation:)
      assert_nil find(GvlRules::IsolateEndpoints, units:)
    end
  end
end
