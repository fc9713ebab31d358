# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::JitReport::ProcessLifeTest < Minitest::Test
  include JitSamples

  def first(...) = jits(life(...)).lives.first

  def test_what_happened_and_when
    one = first(jit_saturated: ->(age_s) { (age_s >= 120) ? 1 : 0 }, minutes: 5, ended: true)
    assert_equal [[:boot, 0], [:enabled, 0], [:warm, 60], [:saturated, 120], [:exit, 300]],
      one.events.map { |event, at_s| [event, at_s - JitSamples::START_S] }.sort_by(&:last)
    assert_equal %i[boot], first(base: JitSamples::OFF).events.map(&:first)
  end

  def test_when_it_was_warm
    one = first(jit_warm_ns: (JitSamples::START_S + 90) * 1_000_000_000)
    assert_equal [90, 9000], [one.warm_after_s, one.warm_after_units]
    assert_nil first(jit_warm_ns: nil).warm_after_units
    assert_equal JitSamples::START_S + 120, one.warm_trail.first_s
  end

  def test_the_curve_of_its_warm_up
    assert_equal [[60, 1000.0], [120, 2.0], [180, 1.0]], first.warm_up.first(3)
    assert_empty first(jit_interpreted_instructions: nil).warm_up
    assert_empty first(units: 5).warm_up, "no units, no curve"
  end

  def test_the_curve_where_instructions_are_not_counted
    one = first(jit_interpreted_instructions: nil,
      "jit.entries": ->(age_s) { (age_s <= 60) ? age_s * 50 : 3000 })
    assert_equal [[60, 0.5], [120, 0.0]], one.compiling.first(2)
    assert_empty first.compiling
  end

  def test_a_killer_counts_for_its_own_server
    killer = {"killer.name": "puma_worker_killer", "killer.server": "puma", "killer.of": "all",
              "killer.limit_bytes": 5}
    assert_predicate first(**killer).killer, :all?
    assert_equal 5, first(**killer, server: "puma+sidekiq").killer.limit_bytes
    assert_nil first(**killer, server: "sidekiq").killer
    assert_nil first.killer
  end
end
