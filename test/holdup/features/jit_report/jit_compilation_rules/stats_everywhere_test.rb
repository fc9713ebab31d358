# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitCompilationRules::StatsEverywhereTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitCompilationRules::StatsEverywhere

  def stats(**facts)
    jit_setting(jit_options: "--yjit-stats=quiet --yjit-disable", **facts)
  end

  def lives(setting, count = 2)
    Array.new(count) { |index| life(index, setting: setting.fingerprint) }
  end

  def test_in_all_of_them
    found = advise(RULE, *lives(stats), settings: [stats])
    assert_equal [2, 'RUBYOPT="--yjit-disable"'], [found.facts[:processes], found.change.new]
    asked = jit_setting(jit_stats: "on")
    assert_match(/stats_share/, advise(RULE, *lives(asked), settings: [asked]).change.new)
  end

  def test_silent
    assert_nil advise(RULE, *lives(jit_setting))
    assert_nil advise(RULE, *lives(stats, 1), life(1), settings: [stats, jit_setting]), "in one"
    assert_nil advise(RULE, *lives(stats(environment: "development")),
      settings: [stats(environment: "development")])
  end
end
