# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitLifetimeRules::ShortLivesTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitLifetimeRules::ShortLives

  KILLER = {"killer.name": "unicorn-worker-killer", "killer.server": "puma", "killer.of": "process",
            "killer.limit_bytes": 300 * JitSamples::MIB}.freeze

  # Workers that are replaced again and again, and the two that are there.
  def replaced(units: ->(age_s) { age_s }, **figures)
    [
      *Array.new(6) { |number|
        life(number % 2, born: number * 300, minutes: 5, ended: true, units:,
      **figures)
      }, *[0, 1].map { |index| life(index, born: 1800, minutes: 2, units:, **figures) }
    ]
  end

  def test_replaced_before_it_pays
    found = advise(RULE, *replaced)
    assert_equal [:jit_short_lives, "puma", 6, 300, 300_000_000_000],
      [found.rule, *found.facts.values_at(:server, :ended, :units, :lived_ns)]
  end

  def test_the_limit_that_lets_them_live
    found = advise(RULE,
      *replaced(rss_bytes: ->(age_s) { 200 * JitSamples::MIB + age_s * JitSamples::MIB / 4 }, **KILLER))
    assert_equal :jit_short_lives_killer, found.rule
    assert_equal 300 * JitSamples::MIB, found.facts[:limit_bytes]
    assert_equal(
      {phrase: :growth_unknown, wanted_ns: 2000 * 1_000_000_000, seen_ns: 300 * 1_000_000_000,
       room_bytes: 0}, found.facts[:basis]
    )
    assert_operator found.facts[:needed_bytes], :>, 275 * JitSamples::MIB
  end

  # 128 MiB of code and metadata come to 166 MiB; 32 of them, 42 MiB, are there.
  def test_the_limit_leaves_room_for_what_is_not_compiled_yet
    found = advise(RULE, *replaced(rss_bytes: 200 * JitSamples::MIB, jit_warm_ns: nil, **KILLER))
    assert_equal :growth_cold, found.facts[:basis][:phrase]
    assert_in_delta (128 - 32) * 1.3 * JitSamples::MIB, found.facts[:basis][:room_bytes], JitSamples::MIB
    assert_equal (200 * JitSamples::MIB * 1.1).ceil + found.facts[:basis][:room_bytes],
      found.facts[:needed_bytes]
  end

  def test_silent
    assert_nil advise(RULE, life(0), life(1))
    assert_nil advise(RULE, *replaced(jit_enabled: 0)), "they have no JIT"
    long = Array.new(3) { |number| life(0, born: number * 3600, minutes: 59, ended: true) }
    assert_nil advise(RULE, *long, life(0, born: 10_800)), "long enough"
  end
end
