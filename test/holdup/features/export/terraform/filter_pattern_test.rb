# frozen_string_literal: true

require "test_helper"

# The evaluator that our filters' patterns are tested with, itself, by the examples of the documentation's
# rules.
class FilterPatternTest < Minitest::Test
  def match?(pattern, event)
    FilterPattern.new(pattern).match?(event.is_a?(String) ? event : JSON.generate(event))
  end

  def test_texts_numbers_and_members_that_are_there
    event = {eventType: "UpdateTrail", errorCode: 400, users: [1], none: nil}
    ['{ $.eventType = "UpdateTrail" }', "{ $.eventType = UpdateTrail }", "{$.errorCode = 400}",
      "{ $.errorCode >= 399.5 }", "{ $.errorCode = * }",
      "{ $.errorCode != 500 }"].each { |pattern|
      assert match?(pattern, event), pattern
    }
    ['{ $.eventType = "updatetrail" }', "{ $.errorCode < 400 }", "{ $.missing = * }", "{ $.missing != 5 }",
      "{ $.users = 1 }", "{ $.users != 1 }", "{ $.none = * }",
      '{ $.errorCode = "400" }'].each { |pattern|
      refute match?(pattern, event), pattern
    }
  end

  def test_and_binds_closer_than_or
    event = {id: 1, name: "a"}
    assert match?("{ $.id = 1 || $.id = 2 && $.name = b }", event)
    refute match?("{ ($.id = 1 || $.id = 2) && $.name = b }", event)
  end

  def test_a_line_that_is_not_json_does_not_match
    refute match?("{ $.id = 1 }", 'I, [2026-11-21] {"id":1}')
  end

  def test_what_is_refused
    ["$.id = 1", "{ $.id = 1", "{ id = 1 }", "{ $.id == 1 }", "{ $.id = 1 && }", "{ }", "{ ($.id = 1 }",
      "{ $.id = 1 } x", "{ $.id = #{"1" * 1024} }"].each do |pattern|
      assert_raises(FilterPattern::InvalidPattern, pattern) { FilterPattern.new(pattern) }
    end
  end
end
