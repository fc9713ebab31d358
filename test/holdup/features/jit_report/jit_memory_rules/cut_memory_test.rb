# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitMemoryRules::CutMemoryTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitMemoryRules::CutMemory

  LARGE = {jit_code_bytes: 40 * JitSamples::MIB, jit_alloc_bytes: 80 * JitSamples::MIB}.freeze

  def test_memory_is_short_and_there_is_much_code
    found = advise(RULE, life(0, **LARGE), life(1, **LARGE), container(used: 0.9))
    assert_equal (2 * 8 * JitSamples::MIB * 3.2 * 1.3).round, found.facts[:saved_bytes]
    assert_equal 'RUBYOPT="--yjit-disable --yjit-mem-size=102"', found.change.new
    assert_equal 'RUBYOPT="--yjit-disable --yjit-exec-mem-size=32"',
      advise(RULE, life(**LARGE, "jit.limit_of": "code"), container(used: 0.9)).change.new
  end

  def test_silent
    assert_nil advise(RULE, life(**LARGE), container(used: 0.5)), "there is memory"
    assert_nil advise(RULE, life, container(used: 0.9)), "there is little code"
    assert_nil advise(RULE, life(**LARGE)), "nobody knows the memory"
  end
end
