# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::NoticeTest < Minitest::Test
  def notice(**rest)
    Holdup::Notice.new(source: "stall 0", rule: "stall", state: :began, at_s: 7, by: "web-1", **rest)
  end

  def test_comes_back_from_json
    told = notice(facts: {share: 0.4, ids: ["a"]})
    facts = JSON.parse(JSON.generate(told.stored), symbolize_names: true)
    assert_equal told, Holdup::Notice.load(source: told.source, at_s: told.at_s, facts:)
  end

  def test_refuses_states_that_are_none
    error = assert_raises(ArgumentError) { notice(state: "done") }
    assert_equal "no state done", error.message
  end

  def test_refuses_facts_that_are_none
    assert_raises(ArgumentError) { notice(facts: nil) }
    assert_raises(ArgumentError) { Holdup::Notice.load(source: "s", at_s: 1, facts: {rule: "stall"}) }
  end
end
