# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitCompilationRules::IneffectiveTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitCompilationRules::Ineffective

  # Warm for long, and then so many interpreted instructions for each unit.
  def spoiled(each:)
    life(minutes: 20,
      jit_interpreted_instructions: ->(age_s) { age_s * 100 + [age_s - 900, 0].max * 100 * each })
  end

  def test_proven
    useless = jit_setting(jit_effective: false)
    found = advise(RULE, life(setting: useless.fingerprint), settings: [useless])
    assert_equal [:jit_ineffective, 1], [found.rule, found.facts[:processes]]
    suspected = advise(RULE, life(setting: useless.fingerprint, "jit.suspects": "byebug, tracer"),
      settings: [useless])
    assert_equal [:jit_ineffective_suspects, "byebug, tracer"], [suspected.rule, suspected.facts[:suspects]]
  end

  def test_spoiled_when_it_was_warm
    found = advise(RULE, spoiled(each: 50))
    assert_equal [:jit_spoiled_later, 1.0, 51.0], [found.rule, *found.facts.values_at(:before, :after)]
  end

  def test_silent
    assert_nil advise(RULE, life)
    well = jit_setting(jit_effective: true)
    assert_nil advise(RULE, life(setting: well.fingerprint), settings: [well])
    assert_nil advise(RULE, spoiled(each: 5)), "other units"
    assert_nil advise(RULE, life(jit_interpreted_instructions: nil)), "not counted"
    assert_nil advise(RULE, life(jit_warm_ns: nil)), "not warm yet"
  end
end
