# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitCompilationRules::ThresholdSetTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitCompilationRules::ThresholdSet

  def test_one_of_ones_own
    setting = jit_setting(jit_options: "--yjit-disable --yjit-call-threshold=5 --yjit-mem-size=64")
    found = advise(RULE, life(setting: setting.fingerprint, "jit.threshold": 5), settings: [setting])
    assert_equal [5, 5000, 'RUBYOPT="--yjit-disable --yjit-mem-size=64"'],
      [*found.facts.values_at(:threshold, :compiled), found.change.new]
    assert_nil advise(RULE, life("jit.threshold": 5)).change, "given while Ruby ran"
  end

  def test_silent
    [30, 31, 120, nil].each { |threshold| assert_nil advise(RULE, life("jit.threshold": threshold)) }
  end
end
