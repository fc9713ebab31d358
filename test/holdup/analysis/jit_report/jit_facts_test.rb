# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::JitReport::JitFactsTest < Minitest::Test
  JitFacts = Holdup::Analysis::JitReport::JitFacts
  MIB = 1 << 20

  def test_the_setting_is_believed_before_the_profile
    profile = {"jit.kind" => "yjit", "jit.by" => "rails", "jit.at" => "process"}
    facts = JitFacts.of({"jit" => "zjit", "jit_by" => "holdup"}, profile)
    assert_equal "zjit", facts.kind
    assert_equal "holdup", facts.by
    assert_equal "process", facts.at
  end

  def test_the_profile_fills_gaps_of_the_setting
    facts = JitFacts.of({}, {"jit.kind" => "yjit", "jit.by" => "rails"})
    assert_equal "yjit", facts.kind
    assert_equal "rails", facts.by
  end

  def test_reads_gauges_by_their_names_in_a_segment
    gauges = {jit_saturated: 0, jit_enabled_ns: 5, jit_warm_ns: 9, jit_code_bytes: 3 * MIB,
              jit_alloc_bytes: 7 * MIB, jit_limit_bytes: 64 * MIB, jit_code_gcs: 2}
    facts = JitFacts.of({}, {}, gauges)
    expected = {since_ns: 5, warm_ns: 9, code_bytes: 3 * MIB, metadata_bytes: 7 * MIB, limit_bytes: 64 * MIB,
                code_gcs: 2}
    expected.each { |name, value| assert_equal value, facts.public_send(name), name.to_s }
    gauges = gauges.keys - %i[jit_saturated]
    assert_empty gauges - Holdup::Segment::Layout::GAUGES
  end

  def test_a_fact_that_is_missing_is_unknown
    assert_equal [nil], JitFacts.of({}).to_h.values.uniq
    assert_equal [nil], JitFacts.new.to_h.values.uniq
  end

  def test_saturation_is_known_only_with_its_gauge
    assert_nil JitFacts.of({}, {}, {}).saturated
    refute JitFacts.of({}, {}, {jit_saturated: 0}).saturated
    assert JitFacts.of({}, {}, {jit_saturated: 1}).saturated
  end

  def test_an_unknown_jit_is_neither_on_nor_off
    refute_predicate JitFacts.new, :on?
    refute_predicate JitFacts.new, :off?
  end

  def test_on_and_off
    assert_predicate JitFacts.new(kind: "off"), :off?
    refute_predicate JitFacts.new(kind: "off"), :on?
    assert_predicate JitFacts.new(kind: "zjit"), :on?
    refute_predicate JitFacts.new(kind: "zjit"), :off?
  end

  def test_memory_is_unknown_without_one_of_its_parts
    assert_nil JitFacts.new(code_bytes: 1).memory_bytes
    assert_nil JitFacts.new(metadata_bytes: 1).memory_bytes
    assert_equal 1300, JitFacts.new(code_bytes: 400, metadata_bytes: 600).memory_bytes
  end

  def test_names_the_option_of_the_limit_that_the_ruby_has
    assert_equal "--yjit-exec-mem-size", JitFacts.new(limit_of: "code").size_option
    assert_equal "--yjit-mem-size", JitFacts.new(limit_of: "total").size_option
    assert_equal "--yjit-mem-size", JitFacts.new.size_option
  end

  def test_proposes_a_quarter_more_in_whole_mib
    {64 * MIB => 80, 128 * MIB => 160, 50 * MIB => 63, 1 => 1}.each do |limit_bytes, mib|
      assert_equal mib, JitFacts.new(limit_bytes:).larger_mib, "#{limit_bytes} bytes"
    end
    assert_nil JitFacts.new.larger_mib
  end

  def test_a_limit_of_code_lets_a_process_grow_by_the_metadata_too
    code, total = %w[code total].map { |limit_of| JitFacts.new(limit_of:).process_bytes(10 * MIB) }
    assert_equal 13 * MIB, total
    assert_in_delta 3.2 * total, code, 2
  end

  def test_room_is_the_limit_without_the_memory_in_use
    facts = JitFacts.new(limit_of: "total", limit_bytes: 10 * MIB, code_bytes: MIB, metadata_bytes: 3 * MIB)
    assert_in_delta 7.8 * MIB, facts.room_bytes, 1
    assert_equal 13 * MIB, JitFacts.new(limit_bytes: 10 * MIB).room_bytes
    assert_nil JitFacts.new(code_bytes: 1, metadata_bytes: 1).room_bytes
  end

  def test_room_never_falls_below_zero
    facts = JitFacts.new(limit_bytes: MIB, code_bytes: MIB, metadata_bytes: 3 * MIB)
    assert_equal 0, facts.room_bytes
  end

  def test_suspects_are_a_list
    assert_equal %w[byebug debug], JitFacts.new(suspects: "byebug, debug").suspected
    assert_empty JitFacts.new.suspected
    assert_empty JitFacts.new(suspects: "").suspected
  end

  def test_a_process_inherits_only_a_jit_that_is_on
    assert_predicate JitFacts.new(kind: "yjit", at: "parent"), :inherited?
    refute_predicate JitFacts.new(kind: "off", at: "parent"), :inherited?
    refute_predicate JitFacts.new(kind: "yjit", at: "boot"), :inherited?
    assert_predicate JitFacts.new(kind: "yjit", at: "boot"), :at_boot?
  end
end
