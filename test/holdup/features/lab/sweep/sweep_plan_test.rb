# frozen_string_literal: true

require "test_helper"
require "support/swept"

class Holdup::Lab::Sweep::SweepPlanTest < Minitest::Test
  include Swept

  def test_the_baseline_comes_first_and_runs_twice
    plan = plan(arms: [arm, arm(1, 3), arm(2, 3)], rounds: 2)
    assert_equal ["1 x 5", "1 x 5 (again)", "1 x 3", "2 x 3"], plan.arms.map(&:name)
    assert_equal plan.arms, plan.steps.first(4).map(&:last)
    assert_equal [0] * 4 + [1] * 4, plan.steps.map(&:first)
    refute_equal plan.arms, plan.steps.last(4).map(&:last)
    assert_equal arm, plan.baseline
  end

  def test_is_the_same_again_out_of_a_file
    plan = plan(arms: [arm(yjit: true, time_slice_ns: 10_000_000, extra: {"A" => "b"})], slo: "p99=300ms",
      port: 3000, recorded: {endpoints: 1, rate: 2.5, left: ["A#b"], left_share: 0.5, left_cpu: 0.1})
    assert_equal plan,
      Swept::Sweep::SweepPlan.from(JSON.parse(JSON.generate(plan.to_h), symbolize_names: true))
  end

  def test_promises_a_percentile_by_default
    assert_equal ["p95", nil], plan.promise.then { |slo| [slo.name, slo.limit_ns] }
    assert_equal ["p99", 300_000_000], plan(slo: "p99=300ms").promise.then { |slo| [slo.name, slo.limit_ns] }
  end
end
