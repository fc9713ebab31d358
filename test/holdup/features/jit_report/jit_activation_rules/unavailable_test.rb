# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitActivationRules::UnavailableTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitActivationRules::Unavailable

  def test_a_ruby_without_yjit
    found = advise(RULE, life(base: JitSamples::OFF, "jit.available": false))
    assert_equal [1, "3.4.5"], found.facts.values_at(:processes, :ruby)
  end

  def test_silent
    assert_nil advise(RULE, life)
    assert_nil advise(RULE, life(base: JitSamples::OFF))
    assert_nil advise(RULE, life(base: JitSamples::OFF, "jit.available": nil)), "nobody knows"
  end
end
