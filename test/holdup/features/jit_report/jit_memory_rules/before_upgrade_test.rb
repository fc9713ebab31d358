# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitMemoryRules::BeforeUpgradeTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitMemoryRules::BeforeUpgrade

  LARGE = {jit_code_bytes: 40 * JitSamples::MIB, jit_alloc_bytes: 90 * JitSamples::MIB}.freeze

  def test_more_code_than_the_next_ruby_has_room_for
    setting = jit_setting(ruby: "3.3.8")
    found = advise(RULE, life(setting: setting.fingerprint, **LARGE), settings: [setting])
    assert_equal 'RUBYOPT="--yjit-disable --yjit-mem-size=150"', found.change.new
    assert_nil advise(RULE, life(setting: setting.fingerprint), settings: [setting])
  end

  def test_no_finding_on_that_ruby_or_where_it_is_unknown
    assert_nil advise(RULE, life(**LARGE))
    assert_nil advise(RULE, life(**LARGE), settings: [])
  end
end
