# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitActivationRules::NotEnabledTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitActivationRules::NotEnabled

  def test_where_workers_run_without
    found = advise(RULE, life(0, base: JitSamples::OFF), life(1))
    assert_equal [1, "config.jit = :on"], [found.facts[:processes], found.change.new]
    assert_in_delta 0.5, found.facts[:ruby_share], 0.05
    assert_in_delta found.facts[:ruby_share] * 0.2, found.facts[:most_share], 1e-9
  end

  def test_silent
    assert_nil advise(RULE, life)
    assert_nil advise(RULE, life(base: JitSamples::OFF, "jit.wish": "off")), "nobody wants it"
    assert_nil advise(RULE, life(base: JitSamples::OFF, "jit.available": false)), "there is none"
    assert_nil advise(RULE, life(base: JitSamples::OFF, minutes: 0)), "it has just begun"
    assert_nil advise(RULE, life(base: JitSamples::OFF, server: nil)), "a script"
    local = jit_setting(environment: "development")
    assert_nil advise(RULE, life(base: JitSamples::OFF, setting: local.fingerprint), settings: [local])
  end
end
