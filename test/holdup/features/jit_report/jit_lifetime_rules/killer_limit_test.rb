# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitLifetimeRules::KillerLimitTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitLifetimeRules::KillerLimit

  def killer(limit, of: "process")
    {"killer.name": "puma_worker_killer", "killer.server": "puma", "killer.of": of,
     "killer.limit_bytes": limit * JitSamples::MIB}
  end

  def test_no_room_for_what_it_has
    found = advise(RULE, life(0, **killer(260)), life(1, **killer(260)))
    assert_equal [:jit_killer_limit, 260 * JitSamples::MIB, (250 * JitSamples::MIB * 1.1).ceil,
      250 * JitSamples::MIB],
      [found.rule, *found.facts.values_at(:limit_bytes, :needed_bytes, :seen_bytes)]
  end

  # puma_worker_killer 1.0.0, puma_memory.rb: VmRSS of the master and of each worker, added up.
  def together(*workers, limit: 620, **master)
    facts = {**killer(limit, of: "all"), "killer.unit_bytes": (0.5 * JitSamples::MIB).round, **master}
    advise(RULE, *workers.map { |index| life(index, **facts) })
  end

  def test_counts_the_master_and_all_workers_together
    found = together(0, 1, master_pid: 50, master_rss_bytes: 100 * JitSamples::MIB)
    assert_equal 600 * JitSamples::MIB, found.facts[:seen_bytes]
    assert_equal (250 * JitSamples::MIB * 1.1).ceil * 2 + (100 * JitSamples::MIB * 1.1).ceil,
      found.facts[:needed_bytes]
    assert_equal "ram = 1321", found.facts[:setting]
    sentence = /the master \(105 MB\) and all workers together \(2, with room for 288 MB each/
    assert_match(sentence, evidence(found))
  end

  def test_counts_the_workers_that_the_server_is_to_have
    found = together(0, limit: 400, master_pid: 50, master_rss_bytes: 100 * JitSamples::MIB)
    assert_equal (250 * JitSamples::MIB * 1.1).ceil * 2 + (100 * JitSamples::MIB * 1.1).ceil,
      found.facts[:needed_bytes], "one of two was just ended"
  end

  def test_each_master_has_a_limit_of_its_own
    masters = [50, 60].flat_map do |master_pid|
      facts = {**killer(620, of: "all"), master_pid:, master_rss_bytes: 100 * JitSamples::MIB}
      [0, 1].map { |index| life(index + master_pid, name: "worker #{index}", **facts) }
    end
    assert_equal 600 * JitSamples::MIB, advise(RULE, *masters).facts[:seen_bytes]
  end

  def test_a_master_that_could_not_be_looked_at_is_taken_for_a_new_worker
    found = together(0, 1, limit: 520)
    assert_equal 500 * JitSamples::MIB, found.facts[:seen_bytes]
    assert_equal (250 * JitSamples::MIB * 1.1).ceil * 3, found.facts[:needed_bytes]
    assert_match(/size of the master is not known/, evidence(found))
  end

  def test_a_single_process_has_no_workers_that_could_be_ended
    assert_nil advise(RULE, life(0, name: "pid 100", **killer(260, of: "all")))
  end

  def evidence(found)
    Holdup::Advise::AdviceFindings.new([found],
      words: Holdup::View::Words.new("en")).first.parts.map(&:text).join(" ")
  end

  def test_says_how_old_the_judged_workers_were
    limits = {10 => 260, 30 => 260}
    young, grown = limits.map { |minutes, limit| advise(RULE, life(0, minutes:, **killer(limit))) }
    assert_match(/None was seen older than 10.0 min, so their later growth is not known/, evidence(young))
    assert_match(/At 30.0 min of age 19 of 20 workers were smaller/, evidence(grown))
    longer = advise(RULE,
      life(0, minutes: 25, rss_bytes: ->(age_s) { 200 * JitSamples::MIB + age_s * 10_000 }, **killer(220)))
    assert_match(/is extrapolated: none was seen older than 25.0 min/, evidence(longer))
  end

  def test_before_it_is_switched_on
    found = advise(RULE, life(base: JitSamples::OFF, **killer(300)))
    assert_equal [:jit_killer_before, (128 * JitSamples::MIB * 1.3).round],
      [found.rule, found.facts[:most_bytes]]
    assert_operator found.facts[:needed_bytes], :>, 430 * JitSamples::MIB
    older = jit_setting(ruby: "3.3.8")
    assert_equal (48 * JitSamples::MIB * 3.2 * 1.3).round,
      advise(RULE, life(base: JitSamples::OFF, setting: older.fingerprint, **killer(300)),
        settings: [older]).facts[:most_bytes]
  end

  def test_silent
    assert_nil advise(RULE, life), "there is none"
    assert_nil advise(RULE, life(**killer(500)))
    assert_nil advise(RULE, life(base: JitSamples::OFF, **killer(900)))
    assert_nil advise(RULE, life(base: JitSamples::OFF, "jit.wish": "off", **killer(260))),
      "nobody wants a JIT"
    assert_nil advise(RULE, life(**killer(100))), "it is loaded, and ends nobody"
    assert_nil advise(RULE, life(rss_bytes: nil, **killer(260))), "nobody knows the memory"
  end
end
