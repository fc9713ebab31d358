# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class RecordingTooShortTest < Minitest::Test
    include Situations

    one_ruby def test_what_there_is_and_what_is_missing
      text = text_of(find(RecordingRules::RecordingTooShort, units: unit(cpu: 5),
        recommendation: advised(PlayedRecording.new(minutes: 10))))
      beginning = /\A1\d,\d{3} requests or jobs in 10 minutes; /
      ending = /the least precise figure is known to \+-[\d.]+ %\. \[holdup advise --since 3h\]\z/
      assert_match(/#{beginning}#{ending}/, text["seen"])
      assert_equal "Record 120 minutes that include the peak.", text["do"]
    end

    # Two hours with a request every ten seconds.
    def test_more_than_two_hours_of_little_traffic
      found = find(RecordingRules::RecordingTooShort, units: unit(cpu: 5),
        recommendation: advised(PlayedRecording.new(minutes: 130, rate: 0.1)))
      assert_operator found.facts[:wanted], :>, 180
      assert_equal "advise --since #{found.facts[:wanted] / 60 + 1}h", found.facts[:query]
    end

    def test_nothing_when_it_is_long_enough
      assert_nil find(RecordingRules::RecordingTooShort, units: unit(cpu: 5),
        recommendation: advised(PlayedRecording.new(minutes: 120)))
      assert_nil find(RecordingRules::RecordingTooShort)
    end
  end
end
