# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/jit_situations"

class Holdup::Advice::JitRules::ZjitTest < Minitest::Test
  include JitSituations

  RULE = Holdup::Advice::JitActivationRules::Zjit

  def test_zjit
    setting = jit_setting(ruby: "4.0.0", jit: "zjit")
    found = advise(RULE, life(setting: setting.fingerprint, "jit.kind": "zjit"), settings: [setting])
    assert_equal [1, "4.0.0"], found.facts.values_at(:processes, :ruby)
  end

  def test_silent
    assert_nil advise(RULE, life)
    assert_nil advise(RULE, life(base: JitSamples::OFF))
  end
end
