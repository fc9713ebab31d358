# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/jit_situations"

class Holdup::Advice::Jit::KillerLimitTest < Minitest::Test
  include JitSituations

  RULE = Holdup::Advice::Jit::KillerLimit

  def killer(limit, of: "process") = {"killer.name": "puma_worker_killer", "killer.server": "puma", "killer.of": of, "killer.limit_bytes": limit * MIB}

  def test_no_room_for_what_it_has
    found = advise(RULE, life(0, **killer(260)), life(1, **killer(260)))
    assert_equal [:jit_killer_limit, 260 * MIB, (250 * MIB * 1.1).ceil, 250 * MIB], [found.rule, *found.facts.values_at(:limit_bytes, :needed_bytes, :seen_bytes)]
    together = advise(RULE, life(0, **killer(520, of: "all")), life(1, **killer(520, of: "all")))
    assert_equal [500 * MIB, (250 * MIB * 1.1).ceil * 2], together.facts.values_at(:seen_bytes, :needed_bytes)
  end

  def test_before_it_is_switched_on
    found = advise(RULE, life(base: OFF, **killer(300)))
    assert_equal [:jit_killer_before, (128 * MIB * 1.3).round], [found.rule, found.facts[:most_bytes]]
    assert_operator found.facts[:needed_bytes], :>, 430 * MIB
    older = jit_setting(ruby: "3.3.8")
    assert_equal (48 * MIB * 3.2 * 1.3).round, advise(RULE, life(base: OFF, setting: older.fingerprint, **killer(300)), settings: [older]).facts[:most_bytes]
  end

  def test_silent
    assert_nil advise(RULE, life), "there is none"
    assert_nil advise(RULE, life(**killer(500)))
    assert_nil advise(RULE, life(base: OFF, **killer(900)))
    assert_nil advise(RULE, life(base: OFF, "jit.wish": "off", **killer(260))), "nobody wants a JIT"
    assert_nil advise(RULE, life(**killer(100))), "it is loaded, and ends nobody"
    assert_nil advise(RULE, life(rss_bytes: nil, **killer(260))), "nobody knows the memory"
  end
end
