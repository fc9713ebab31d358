# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitActivationRules::WrongHookTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitActivationRules::WrongHook

  MASTER = {"jit.at": "parent", "jit.parent": "on", "jit.by": "application"}.freeze

  def test_some_have_it_from_the_master_and_others_not
    found = advise(RULE, life(0), life(1, **MASTER), life(2, **MASTER))
    assert_equal ["application", 2, 1], found.facts.values_at(:by, :with, :without)
  end

  def test_on_in_the_master_although_each_worker_was_to_have_it
    found = advise(RULE, life(0, **MASTER, "jit.wish": "on"), life(1, **MASTER, "jit.wish": "on"))
    assert_equal [:jit_in_master, "application", 2], [found.rule, *found.facts.values_at(:by, :with)]
  end

  def test_silent
    assert_nil advise(RULE, life(0), life(1))
    assert_nil advise(RULE, life(0, **MASTER), life(1, **MASTER))
  end
end
