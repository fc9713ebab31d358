# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitCompilationRules::RedefinitionsTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitCompilationRules::Redefinitions

  def test_code_that_defines_while_it_serves
    found = advise(RULE, life(0), life(1, jit_redefined: ->(age_s) { age_s / 20 }))
    assert_equal ["worker 1", 3.0, 27], found.facts.values_at(:name, :a_minute, :times)
  end

  def test_silent
    assert_nil advise(RULE, life)
    assert_nil advise(RULE, life(jit_redefined: ->(age_s) { [age_s * 5, 300].min })), "only until it was warm"
    assert_nil advise(RULE, life(jit_redefined: ->(age_s) { age_s / 120 })), "hardly ever"
    assert_nil advise(RULE, life(jit_redefined: nil)), "not counted"
    assert_nil advise(RULE, life(jit_warm_ns: nil)), "not warm yet"
  end
end
