# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitCompilationRules::ThresholdFlipsTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitCompilationRules::ThresholdFlips

  NEAR = {jit_live_iseqs: 39_000}.freeze

  def test_near_to_where_it_changes
    found = advise(RULE, life(**NEAR))
    assert_equal [39_000, 30, 'RUBYOPT="--yjit-disable --yjit-call-threshold=31"'],
      [*found.facts.values_at(:live, :threshold), found.change.new]
    assert_match(/call-threshold=120/,
      advise(RULE, life(jit_live_iseqs: 42_000, "jit.threshold": 120)).change.new)
  end

  def test_silent
    assert_nil advise(RULE, life)
    assert_nil advise(RULE, life(jit_live_iseqs: 60_000, "jit.threshold": 120))
    assert_nil advise(RULE, life(**NEAR, "jit.threshold": 31)), "it is pinned"
    pinned = jit_setting(jit_options: "--yjit-disable --yjit-call-threshold=120")
    assert_nil advise(RULE, life(**NEAR, "jit.threshold": 120, setting: pinned.fingerprint),
      settings: [pinned])
    assert_nil advise(RULE, life(jit_live_iseqs: nil)), "nobody knows"
  end
end
