# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit"

class Holdup::Jit::SnapshotTest < Minitest::Test
  MIB = 1 << 20

  def snapshot(kind: :yjit, **known) = Holdup::Jit::Snapshot.new(kind:, **known)

  def limit(of) = Holdup::Jit::MemoryLimit.new(bytes: 100 * MIB, of:, source: "RUBYOPT")

  def test_what_a_version_does_not_tell_is_unknown
    off = Holdup::Jit::Snapshot.new
    refute_predicate off, :enabled?
    assert_equal [nil], off.to_h.except(:kind).values.uniq
    assert_predicate snapshot, :enabled?
  end

  def test_full_of_code
    refute_predicate snapshot(code_bytes: 100 * MIB - 1, limit: limit(:code)), :saturated?
    assert_predicate snapshot(code_bytes: 100 * MIB, limit: limit(:code)), :saturated?
  end

  # Nothing more is compiled a little below the limit on both.
  def test_full_of_code_and_metadata
    full = snapshot(code_bytes: 30 * MIB, metadata_bytes: 67 * MIB, limit: limit(:total))
    assert_predicate full, :saturated?
    refute_predicate full.with(metadata_bytes: 66 * MIB), :saturated?
  end

  def test_whether_it_is_full_may_be_unknown
    assert_nil snapshot(code_bytes: MIB).saturated?
    assert_nil snapshot(limit: limit(:code)).saturated?
    assert_nil snapshot(code_bytes: MIB, limit: limit(:total)).saturated?, "without the metadata"
  end

  def test_code_that_was_thrown_away
    thrown = snapshot(invalidations: {constant_state_bump: 3, method_lookup: 2, everything: 7})
    assert_equal 5, thrown.redefined
    assert_equal 12, thrown.invalidated
    assert_equal 3, snapshot(invalidations: {constant_state_bump: 3}).redefined
    assert_nil snapshot.redefined
    assert_nil snapshot.invalidated
  end

  def test_deep_statistics_count_what_ran_compiled
    assert_predicate snapshot(compiled_instructions: 0), :deep?
    refute_predicate snapshot, :deep?
  end

  def test_memory_is_code_metadata_and_what_the_allocator_adds
    assert_equal 30 * MIB, snapshot(code_bytes: 10 * MIB, metadata_bytes: 20 * MIB).total_bytes
    assert_operator snapshot(code_bytes: 10 * MIB, metadata_bytes: 20 * MIB).real_bytes, :>, 30 * MIB
    assert_nil snapshot(code_bytes: 10 * MIB).real_bytes
  end
end
