# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitMemoryRules::LimitUnusedTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitMemoryRules::LimitUnused

  SET = {"jit.limit_from": "RUBYOPT"}.freeze
  DAY = 25 * 60

  def test_a_limit_that_decides_nothing
    found = advise(RULE, life(minutes: DAY, **SET))
    assert_equal [0.25, 128 * JitSamples::MIB, "RUBYOPT"],
      found.facts.values_at(:used_share, :limit_bytes, :from)
    assert_nil found.change
  end

  def test_silent
    assert_nil advise(RULE, life(minutes: DAY)), "nobody has set one"
    assert_nil advise(RULE, life(minutes: 60, **SET)), "too short a time"
    assert_nil advise(RULE, life(minutes: DAY, **SET, jit_limit_bytes: 40 * JitSamples::MIB)),
      "most of it is used"
    assert_nil advise(RULE, life(minutes: DAY, **SET, jit_alloc_bytes: ->(age_s) { age_s * 300 })), "it grows"
  end
end
