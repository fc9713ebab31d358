# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitMemoryRules::MemoryGrowsElsewhereTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitMemoryRules::MemoryGrowsElsewhere

  GROWING = {minutes: 180, rss_bytes: ->(age_s) { 250 * JitSamples::MIB + age_s * 20_000 }}.freeze

  def plain = jit_setting(malloc: nil)

  def test_it_is_not_the_jit
    found = advise(RULE, life(setting: plain.fingerprint, **GROWING), settings: [plain])
    assert_equal [:jit_memory_elsewhere, "MALLOC_ARENA_MAX=2", 72_000_000, 0],
      [found.rule, found.change.new, *found.facts.values_at(:grown_bytes, :jit_bytes)]
  end

  def test_nor_the_allocator
    assert_equal :jit_memory_leak, advise(RULE, life(**GROWING)).rule
  end

  def test_silent
    assert_nil advise(RULE, life(minutes: 180)), "it does not grow"
    assert_nil advise(RULE, life(**GROWING, minutes: 60)), "too short a time"
    assert_nil advise(RULE, life(**GROWING, jit_alloc_bytes: ->(age_s) { age_s * 10_000 })), "it is the JIT"
    assert_nil advise(RULE, life(**GROWING, rss_bytes: nil)), "nobody knows"
  end
end
