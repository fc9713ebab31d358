# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitCompilationRules::CodeGcTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitCompilationRules::CodeGc

  def test_thrown_away_and_compiled_again
    setting = jit_setting(jit_options: "--yjit-disable --yjit-code-gc --yjit-exec-mem-size=4")
    found = advise(RULE, life(setting: setting.fingerprint, jit_code_gcs: 11, jit_compile_ns: 5),
      settings: [setting])
    assert_equal [11, 5, "worker 0"], found.facts.values_at(:times, :compile_ns, :name)
    assert_equal 'RUBYOPT="--yjit-disable --yjit-exec-mem-size=4"', found.change.new
    assert_nil advise(RULE, life(jit_code_gcs: 2)).change, "nobody knows who asked for it"
  end

  def test_silent
    assert_nil advise(RULE, life(jit_code_gcs: 1))
    assert_nil advise(RULE, life(jit_code_gcs: nil))
  end
end
