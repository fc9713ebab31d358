# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitActivationRules::ZjitTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitActivationRules::Zjit

  def test_zjit
    setting = jit_setting(ruby: "4.0.0", jit: "zjit")
    found = advise(RULE, life(setting: setting.fingerprint, "jit.kind": "zjit"), settings: [setting])
    assert_equal [1, "4.0.0"], found.facts.values_at(:processes, :ruby)
  end

  def test_nothing_is_known_of_the_zjit_of_later_rubies_or_without_yjit
    {"4.1.0" => true, "4.0.0" => false}.each do |ruby, available|
      setting = jit_setting(ruby:, jit: "zjit")
      found = advise(RULE, life(setting: setting.fingerprint, "jit.kind": "zjit", "jit.available": available),
        settings: [setting])
      assert_equal [:jit_zjit_unknown, ruby, nil], [found.rule, found.facts[:ruby], found.change]
    end
  end

  # In all that makes a rule about YJIT speak; a Ruby with ZJIT exits when it gets an option of YJIT.
  BAD = {"jit.kind": "zjit", "jit.by": "RUBYOPT", "jit.at": "boot", "jit.limit_of": "total",
         "jit.threshold": 2, "jit.limit_from": "RUBYOPT", "jit.suspects": "byebug", jit_saturated: 1,
         jit_code_gcs: 9, jit_code_bytes: 60 * JitSamples::MIB, jit_limit_bytes: 1024 * JitSamples::MIB,
         jit_live_iseqs: 40_000, jit_redefined: ->(age_s) { age_s }, jit_failures: ->(age_s) { age_s }}.freeze

  def test_no_rule_gives_advice_on_yjit
    setting = jit_setting(ruby: "4.0.0", jit: "zjit", jit_options: "--zjit --zjit-stats", jit_stats: "on",
      jit_effective: false)
    lives = Array.new(3) { |index| life(index, minutes: 1500, setting: setting.fingerprint, **BAD) }
    short = Array.new(9) do |index|
      life(20 + index, minutes: 0, ended: true, setting: setting.fingerprint, **BAD)
    end
    found = Holdup::Features.rules(of: Holdup::JitReport).filter_map do |rule|
      advise(rule, *lives, *short, container(used: 0.99), settings: [setting])
    end
    assert_includes found.map(&:rule), :jit_zjit
    found.each { |finding| refute_match(/yjit/i, finding.change&.new.to_s, finding.rule) }
    assert_empty found.map(&:rule) - %i[jit_zjit jit_no_warmup]
  end

  def test_options_of_zjit_are_left_out_of_advice_on_yjit
    setting = jit_setting(jit_options: "--zjit-disable --yjit-mem-size=64")
    life = jits(life(setting: setting.fingerprint), settings: [setting]).on.first
    assert_equal 'RUBYOPT="--yjit-disable --yjit-mem-size=128"',
      Holdup::JitReport::JitRules::OptionText.with(life, "--yjit-mem-size", 128).new
  end

  def test_silent
    assert_nil advise(RULE, life)
    assert_nil advise(RULE, life(base: JitSamples::OFF))
  end
end
