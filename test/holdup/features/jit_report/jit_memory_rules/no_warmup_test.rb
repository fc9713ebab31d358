# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitMemoryRules::NoWarmupTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitMemoryRules::NoWarmup

  UNTIDY = {"jit.prepared": false}.freeze

  def test_forked_from_a_heap_that_was_not_tidied_up
    found = advise(RULE, life(0, **UNTIDY), life(1, **UNTIDY))
    assert_equal [2, "puma", "before_fork { Process.warmup }"],
      [*found.facts.values_at(:processes, :server), found.change.new]
    mold = jit_setting(server: "pitchfork", preload: nil)
    assert_match(/after_mold_fork/,
      advise(RULE, *[0, 1].map { |index| life(index, setting: mold.fingerprint, **UNTIDY) },
        settings: [mold]).change.new)
  end

  def test_where_a_worker_forks_the_others
    {"8.0.2" => /before_refork/, "6.6.0" => /on_refork/}.each do |version, hook|
      setting = jit_setting(refork: true, server_version: version)
      assert_match hook,
        advise(RULE, *[0, 1].map { |index| life(index, setting: setting.fingerprint, **UNTIDY) },
          settings: [setting]).change.new
    end
  end

  def test_silent
    assert_nil advise(RULE, life(0, "jit.prepared": true), life(1, "jit.prepared": true))
    assert_nil advise(RULE, life(0), life(1)), "nobody knows"
    assert_nil advise(RULE, life(0, **UNTIDY)), "one alone shares nothing"
    each = jit_setting(preload: false)
    assert_nil advise(RULE, *[0, 1].map { |index| life(index, setting: each.fingerprint, **UNTIDY) },
      settings: [each]),
      "each loads the application"
  end
end
