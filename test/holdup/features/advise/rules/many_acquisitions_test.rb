# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class ManyAcquisitionsTest < Minitest::Test
    include Situations

    SHAPES = {"List#index" => [0.5, 10, 20, 40], "Heavy#show" => [0.5, 30, 20, 2]}.freeze

    def recommendation(rate)
      advised(PlayedRecording.new(shapes: SHAPES, rate:, minutes: 6, swing: 0.0))
    end

    def units(acquisitions = 40)
      unit("List#index", acquisitions:, cpu: 10, stalled: 60,
        io: 20).merge(unit("Heavy#show", acquisitions: 2, cpu: 30, stalled: 10, io: 20))
    end

    def test_half_as_many_of_who_stalls_most
      text = text_of(found = find(GvlRules::ManyAcquisitions, units:, recommendation: recommendation(30.0)))
      assert_equal ["List#index", "whatif --halve-acquisitions 'List#index'"],
        found.facts.values_at(:name, :query)
      assert_match(/\AEach takes it 40 times and waits 6\d.\d ms for it\. Replayed with half as many/,
        text["seen"])
      assert_operator found.gain, :>, WORTH
    end

    one_ruby def test_no_finding_without_a_gain_or_with_a_release_storm
      assert_nil find(GvlRules::ManyAcquisitions, units:, recommendation: recommendation(2.0)),
        "nobody else is there"
      assert_nil find(GvlRules::ManyAcquisitions, units: units(2000), recommendation: recommendation(2.0))
      assert_nil find(GvlRules::ManyAcquisitions, units:)
    end
  end
end
