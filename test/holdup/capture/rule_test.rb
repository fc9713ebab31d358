# frozen_string_literal: true

require "test_helper"
require "holdup/capture/rule"

class Holdup::Capture::RuleTest < Minitest::Test
  StandingRule = Holdup::Capture::Rule

  def test_as_one_line
    rule = StandingRule.from("stall > 50 ms")
    assert_equal [[50_000_000, 0], "stall > 50 ms", 60, 200_000, true],
      [rule.limits, rule.to_s, *rule.to_h.values_at(:every_s, :events, :stacks)]
    refute_predicate rule, :by_series?
  end

  def test_with_two_conditions_and_options
    options = "only=GET /orders, every=30, events=5000, stacks=off"
    rule = StandingRule.from("stall > 5 ms or wall > p99 x 2, #{options}")
    assert_equal [[5_000_000, 40_000_000], [5_000_000, 1_000_000], [5_000_000, 0]],
      [rule.limits({wall: 20_000_000}), rule.limits({wall: 0}), rule.limits]
    assert_equal [30, 5000, false], rule.to_h.values_at(:every_s, :events, :stacks)
    assert_equal "stall > 5 ms or wall > p99 x 2, only=GET /orders", rule.to_s
    assert_predicate rule, :by_series?
  end

  def test_as_a_hash
    rule = StandingRule.from({wall: "2 s", only: /\AGET/, every: 5})
    assert_equal [[0, 2_000_000_000], "wall > 2 s, only=/\\AGET/"], [rule.limits, rule.to_s]
  end

  def test_only
    rules = ["GET /orders", "GET /o*", /ers\z/].map { |only| StandingRule.from({stall: "1 s", only:}) }
    assert_equal [[true, false], [true, true], [true, false]],
      rules.map { |rule| ["GET /orders", "GET /o/other"].map { |name| rule.for?(name) } }
    assert StandingRule.from({stall: "1 s"}).for?("anything")
  end

  def test_what_is_none
    ["", "stall", "stall > 50", "stall > 0 ms", "cpu > 1 s", "wall > p99 x 0", "wall > p95 x 2",
      "stall > 1 s, every=x", "stall > 1 s, stacks=maybe", "only=GET /"].each do |text|
      assert_nil StandingRule.from(text), text
    end
    [nil, :on, {}, {only: "GET /"}, {stall: 5}, {stall: "1 s", every: 0}, {stall: "1 s", only: ""},
      {stall: "1 s", events: 10}, {stall: "1 s", other: 1}].each do |value|
      assert_nil StandingRule.from(value), value.inspect
    end
  end
end
