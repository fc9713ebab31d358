# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/jit_situations"

class Holdup::Advice::JitRules::WaitBoundTest < Minitest::Test
  include JitSituations

  RULE = Holdup::Advice::JitCompilationRules::WaitBound

  def test_units_that_hardly_run_ruby
    found = advise(RULE, life, ms: {cpu: 1, io: 9})
    assert_in_delta 0.1, found.facts[:ruby_share], 0.02
    assert_in_delta 0.02, found.facts[:most_share], 0.005
  end

  def test_silent
    assert_nil advise(RULE, life)
    assert_nil advise(RULE, ms: {cpu: 1, io: 9}), "nothing is known of a JIT"
  end
end
