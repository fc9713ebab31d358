# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"

class Holdup::ConfigurationKeys::ScalingGoalTest < Minitest::Test
  def goal(value = nil, **env)
    built = Holdup::Configuration.build(env: env.transform_keys(&:to_s)) { |config| config.scaling = value }
    built.scaling_goal
  end

  def test_a_text_is_the_promise
    assert_equal({slo: "p95=300ms", within: 300}, goal("p95=300ms").to_h)
  end

  def test_a_hash_says_more
    assert_equal({slo: "p99=1.5s", within: 60}, goal({slo: "p99=1.5s", within: 60}).to_h)
    assert_equal({slo: nil, within: 120}, goal({within: 120}).to_h)
  end

  def test_nothing_without_it
    assert_nil goal
    assert_nil goal(:off)
    assert_nil goal("p95=300ms", HOLDUP_SCALING: "off")
  end

  def test_in_the_environment
    assert_equal({slo: "p95=300ms", within: 300}, goal(HOLDUP_SCALING: "p95=300ms").to_h)
    assert_equal({slo: "p95=300ms", within: 60}, goal(HOLDUP_SCALING: "slo=p95=300ms,within=60").to_h)
    assert_equal({slo: nil, within: 60}, goal(HOLDUP_SCALING: "within=60").to_h)
  end

  def test_a_collector_reads_what_it_writes
    one = goal({slo: "p99.5=300 ms", within: 60})
    assert_equal one, goal(HOLDUP_SCALING: one.to_s)
  end

  def test_says_what_to_give_instead_of_a_wrong_value
    wrong = ["p95", "p30=1s", 300, {}, {slo: "p95"}, {within: 0}, {slo: "p95=1s", every: 3}]
    wrong.each do |value|
      error = assert_raises(Holdup::ConfigurationError, value.inspect) { goal(value) }
      assert_includes error.message, '{slo: "p95=300ms", within: 300}'
    end
    ["p95", "slo=p95=1s,when=3", "within=soon"].each do |text|
      assert_raises(Holdup::ConfigurationError, text) { goal(HOLDUP_SCALING: text) }
    end
  end
end
