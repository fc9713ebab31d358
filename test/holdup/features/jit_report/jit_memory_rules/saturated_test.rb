# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitMemoryRules::SaturatedTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitMemoryRules::Saturated

  FULL = {jit_saturated: 1, jit_limit_bytes: 32 * JitSamples::MIB, jit_failures: 4}.freeze

  def test_a_quarter_more
    found = advise(RULE, life(0, **FULL), life(1))
    assert_equal [:jit_saturated, 1, 32 * JitSamples::MIB, 4],
      [found.rule, *found.facts.values_at(:processes, :limit_bytes, :failures)]
    assert_equal 'RUBYOPT="--yjit-disable --yjit-mem-size=40"', found.change.new
    assert_equal (8 * JitSamples::MIB * 1.3).ceil, found.facts[:more_bytes]
  end

  def evidence(found, language: "en")
    words = Holdup::View::Words.new(language)
    Holdup::Advise::AdviceFindings.new([found], words:).first.parts.first.text
  end

  def test_says_where_failed_compilations_are_not_counted
    older = jit_setting(ruby: "3.3.8")
    uncounted = advise(RULE, life(setting: older.fingerprint, **FULL, jit_failures: nil), settings: [older])
    assert_includes evidence(uncounted), "failed compilations: not counted by Ruby 3.3."
    assert_includes evidence(uncounted, language: "ja"), "Ruby 3.3 では集計されません"
    assert_includes evidence(advise(RULE, life(**FULL))), "failed compilations: 4."
    assert_includes evidence(advise(RULE, life(**FULL, jit_failures: nil))), "failed compilations: unknown."
  end

  def test_where_ruby_takes_it_while_it_runs
    setting = jit_setting(ruby: "4.0.0")
    assert_equal "config.jit = {mem_size: 40}",
      advise(RULE, life(setting: setting.fingerprint, **FULL), settings: [setting]).change.new
  end

  def test_compiling_that_fails_is_full_too
    found = advise(RULE,
      life(jit_failures: ->(age_s) { age_s / 60 }, "jit.limit_of": "code",
        jit_limit_bytes: 48 * JitSamples::MIB))
    assert_equal 'RUBYOPT="--yjit-disable --yjit-exec-mem-size=60"', found.change.new
    assert_equal (12 * JitSamples::MIB * 3.2 * 1.3).ceil, found.facts[:more_bytes]
  end

  def test_without_room_it_is_left
    found = advise(RULE, life(**FULL), container(used: 0.849))
    assert_equal [:jit_saturated_no_room, nil], [found.rule, found.change]
    assert_equal :jit_saturated, advise(RULE, life(**FULL), container(used: 0.5)).rule
  end

  # As Ruby 3.3 does when --yjit-exec-mem-size=2 is full and the option can't be read any more.
  STUCK = {jit_compile_ns: ->(age_s) { 500_000_000 + age_s * 8_000 }, jit_failures: nil,
           "jit.limit_of": "code", "jit.limit_from": "assumed default",
           jit_limit_bytes: 48 * JitSamples::MIB}.freeze

  def test_a_limit_that_is_not_known
    found = advise(RULE, life(0, **STUCK), life(1))
    assert_equal [:jit_stuck, 1, 5000], [found.rule, *found.facts.values_at(:processes, :compiled)]
    assert_equal 'RUBYOPT="--yjit-disable --yjit-exec-mem-size=13"', found.change.new
    passed = {"jit.limit_of": nil, "jit.limit_from": "unknown", jit_limit_bytes: nil, jit_saturated: nil}
    assert_equal "RubyVM::YJIT.enable(mem_size: 40)", advise(RULE, life(**STUCK, **passed)).change.new
    assert_equal :jit_stuck, advise(RULE, life(**passed, jit_failures: ->(age_s) { age_s / 60 })).rule
  end

  def test_what_is_still_compiled_is_not_stuck
    growing = {jit_alloc_bytes: ->(age_s) { 22 * JitSamples::MIB + age_s },
               jit_compiled_iseqs: ->(age_s) { 5000 + age_s / 60 }}
    growing.each { |figure| assert_nil advise(RULE, life(**STUCK, **[figure].to_h)) }
    assert_nil advise(RULE, life(**STUCK, jit_compile_ns: 500_000_000))
    assert_nil advise(RULE, life(minutes: 4, **STUCK))
  end

  def test_silent
    assert_nil advise(RULE, life)
    assert_nil advise(RULE, life(base: JitSamples::OFF))
    assert_nil advise(RULE, life(jit_failures: ->(age_s) { age_s }, "jit.kind": "zjit"))
  end
end
