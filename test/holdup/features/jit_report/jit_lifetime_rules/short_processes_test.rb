# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitLifetimeRules::ShortProcessesTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitLifetimeRules::ShortProcesses

  # As many processes that end after so many minutes.
  def processes(count, minutes: 0, **figures)
    Array.new(count) { |number| life(number, minutes:, name: "pid #{number}", ended: true, **figures) }
  end

  def test_many_that_end_at_once
    found = advise(RULE, *processes(6), *processes(2, minutes: 5, born: 900))
    assert_equal [6, 8, "HOLDUP_JIT=off"], [*found.facts.values_at(:processes, :all), found.change.new]
  end

  def test_silent
    assert_nil advise(RULE, *processes(4)), "few"
    assert_nil advise(RULE, *processes(6, minutes: 5))
    assert_nil advise(RULE, *processes(6, base: JitSamples::OFF))
    assert_nil advise(RULE, *processes(6,
      name: "worker 0").map { |samples| samples.map { |sample| sample.merge(name: "worker 0") } }),
      "workers have a rule of their own"
  end
end
