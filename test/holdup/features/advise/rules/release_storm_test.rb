# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class ReleaseStormTest < Minitest::Test
    include Situations

    STORM = {"Orders#index" => [0.3, 20, 40, 60], "B#b" => [0.7, 8, 16, 2]}.freeze

    def storm
      unit("Orders#index", acquisitions: 4000, cpu: 50, stalled: 30).merge(unit("B#b", cpu: 5, stalled: 1))
    end

    def test_thousands_of_acquisitions
      text = text_of(find(GvlRules::ReleaseStorm, units: storm))
      expected = "Orders#index takes the GVL 4,000 times in each request or job, " \
        "and may wait for it each time."
      assert_equal expected, text["what"]
      command = /\[holdup report --full --name .Orders#index.\]/
      assert_match(/\AEach waits .* for the GVL, .* per acquisition\. #{command}\z/, text["seen"])
      assert_match(/not predicted/, text["expect"])
    end

    one_ruby def test_half_of_it_is_replayed
      found = find(GvlRules::ReleaseStorm, units: storm,
        recommendation: advised(PlayedRecording.new(shapes: STORM, rate: 12.0, minutes: 10)))
      assert_operator found.gain, :>, 0
      assert_match(/falls by [\d.]+ % of the response/, text_of(found)["expect"])
    end

    def test_no_finding_for_few_acquisitions_or_without_stalls
      assert_nil find(GvlRules::ReleaseStorm, units: unit(acquisitions: 80, cpu: 50, stalled: 30))
      assert_nil find(GvlRules::ReleaseStorm, units: unit(acquisitions: 4000, cpu: 50))
    end
  end
end
