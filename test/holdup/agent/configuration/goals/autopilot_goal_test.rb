# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"

class Holdup::ConfigurationKeys::AutopilotGoalTest < Minitest::Test
  Goal = Holdup::ConfigurationKeys::AutopilotGoal

  def of(value)
    Holdup::Configuration.build { |config| config.autopilot = value }.autopilot_goal
  end

  def test_it_is_off_unless_it_is_asked_for
    assert_nil Holdup::Configuration.build.autopilot_goal
    assert_nil of(:off)
    assert_nil Holdup::Configuration.build(env: {"HOLDUP_AUTOPILOT" => "off"}).autopilot_goal
  end

  def test_a_hash_says_promise_and_limits
    goal = of({slo: {p95: "300ms"}, threads: 1..8})
    assert_equal ["p95=300ms", 0.95, 300_000_000, 1..8, 2],
      [goal.slo, goal.percentile, goal.limit_ns, goal.threads, goal.changes_per_day]
    assert_equal 1_500_000_000, of({slo: {p99: "1.5 s"}, threads: 2..2}).limit_ns
  end

  def test_the_environment_says_the_same_in_words
    text = "p95=300ms threads=1..8 changes_per_day=3"
    read = Holdup::Configuration.build(env: {"HOLDUP_AUTOPILOT" => text}).autopilot_goal
    assert_equal of({slo: {p95: "300ms"}, threads: 1..8, changes_per_day: 3}), read
    assert_equal read, Goal.parse(read.to_s)
    assert_nil Goal.parse("nonsense")
    assert_nil Goal.parse("")
  end

  def test_processes_may_be_named_too_or_alone
    goal = of({slo: {p95: "300ms"}, processes: 1..4})
    assert_equal [%w[processes], "processes", 1..4, nil],
      [goal.levers, goal.lever, goal.range("processes"), goal.range("threads")]
    assert_equal goal, Goal.parse("p95=300ms processes=1..4")
    assert_equal goal, Goal.parse(goal.to_s)
    both = Goal.parse("p95=300ms processes=1..4 threads=2..8")
    assert_equal %w[threads processes], both.levers
    assert_equal both, Goal.parse(both.to_s)
    assert_equal goal, both.only("processes")
    assert_nil both.range("max_io_threads")
  end

  def test_a_wrong_value_is_refused_with_what_to_give
    wrong = [{}, {threads: 1..8}, {slo: {p95: "300ms"}}, {slo: {p95: "300"}, threads: 1..8},
      {slo: {p95: "300ms", p99: "1s"}, threads: 1..8}, {slo: {p20: "1s"}, threads: 1..8},
      {slo: {p95: "1s"}, threads: 0..8}, {slo: {p95: "1s"}, threads: 8..1}, {slo: {p95: "1s"}, threads: 1..},
      {slo: {p95: "1s"}, threads: 5}, {slo: {p95: "1s"}, threads: 1..8, changes_per_day: 0},
      {slo: {p95: "1s"}, threads: 1..8, errors: 2}, {slo: {p95: "1s"}, threads: 1..8, speed: 1},
      "p95=1s", true]
    wrong.each do |value|
      error = assert_raises(Holdup::ConfigurationError, value.inspect) { of(value) }
      assert_match(/\{slo: \{p95: "300ms"\}, threads: 1\.\.8, changes_per_day: 2\} or :off/, error.message)
    end
    ["p95=300ms", "threads=1..8", "p95=300ms threads=8", "p95=300ms threads=1..x", "fast",
      "p95=1s threads=1..2 x=1",
      "p95=1s p95=2s threads=1..2"].each do |text|
      env = {"HOLDUP_AUTOPILOT" => text}
      error = assert_raises(Holdup::ConfigurationError, text) { Holdup::Configuration.build(env:) }
      assert_includes error.message, "p95=300ms threads=1..8 changes_per_day=2"
    end
  end
end
