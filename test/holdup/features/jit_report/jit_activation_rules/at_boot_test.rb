# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitActivationRules::AtBootTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitActivationRules::AtBoot

  EARLY = {"jit.at": "boot", "jit.by": "RUBYOPT", "jit.parent": "on"}.freeze

  def test_on_from_the_start_of_ruby
    setting = jit_setting(jit_options: "--yjit --yjit-mem-size=64")
    found = advise(RULE, life(setting: setting.fingerprint, **EARLY), settings: [setting])
    assert_equal [1, "RUBYOPT"], found.facts.values_at(:processes, :by)
    assert_equal 'config.jit = :on, RUBYOPT="--yjit-mem-size=64 --yjit-disable"', found.change.new
  end

  def test_silent
    assert_nil advise(RULE, life)
    reforking = jit_setting(refork: true)
    assert_nil advise(RULE, life(setting: reforking.fingerprint, **EARLY), settings: [reforking]),
      "workers fork others"
  end
end
