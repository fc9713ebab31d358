# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitCompilationRules::WaitBoundTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitCompilationRules::WaitBound

  def test_units_that_hardly_run_ruby
    found = advise(RULE, life, ms: {cpu: 1, io: 9})
    assert_in_delta 0.1, found.facts[:ruby_share], 0.02
    assert_in_delta 0.02, found.facts[:most_share], 0.005
  end

  def test_where_a_jit_is_on_already_none_can_make_them_shorter
    assert_equal :jit_bounded_on, advise(RULE, life, life(1), ms: {cpu: 1, io: 9}).rule
    assert_equal :jit_bounded, advise(RULE, life, life(1, base: JitSamples::OFF), ms: {cpu: 1, io: 9}).rule
    assert_equal :jit_bounded, advise(RULE, life(base: JitSamples::OFF), ms: {cpu: 1, io: 9}).rule
    master = life(1, base: JitSamples::OFF, server: nil)
    assert_equal :jit_bounded_on, advise(RULE, life, master, ms: {cpu: 1, io: 9}).rule
  end

  def test_without_a_jit_they_would_be_longer_by_the_time_it_saves
    facts = advise(RULE, life, ms: {cpu: 1, io: 9}).facts
    speed_up = Holdup::JitReport::JitCompilationRules::WaitBound::SPEED_UP
    assert_in_delta facts[:longer_share], facts[:most_share] * speed_up
  end

  def test_silent
    assert_nil advise(RULE, life)
    assert_nil advise(RULE, ms: {cpu: 1, io: 9}), "nothing is known of a JIT"
  end
end
