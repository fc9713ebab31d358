# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector::PairDeltaTest < Minitest::Test
  PairDelta = Holdup::Collector::PairDelta
  Layout = Holdup::Segment::Layout
  Slot = Struct.new(:series)
  SLOTS = [Slot.new(Holdup::Series.new(kind: :job, name: "MailJob", queue: "low")), nil,
    Slot.new(Holdup::Series.new(kind: :account, name: "thread:puma"))].freeze

  def delta(waiting, holder, ns, kind: 0, carried_ns: 0)
    PairDelta.of([waiting, holder, kind, ns], carried_ns, SLOTS)
  end

  def test_what_was_added_under_the_names_of_both
    pair = delta(1, 3, 70, carried_ns: 50)
    assert_equal [:pair, "MailJob", "thread:puma", 20],
      [pair.series.kind, pair.series.name, pair.series.queue, pair.ns]
  end

  def test_who_is_no_series
    names = [Layout::PAIR_HANDOFF, Layout::PAIR_OTHERS, Layout::PAIR_UNKNOWN].map { |holder|
      delta(1, holder, 1).series.queue
    }
    assert_equal %w[(nobody) (others) (unknown)], names
    assert_equal "(not recorded)", delta(Layout::PAIR_UNRECORDED, 1, 1).series.name
  end

  def test_pairs_of_a_pool_are_a_kind_of_their_own
    pool = delta(1, 3, 70, kind: Layout::PAIR_KINDS.index(:pool_pair))
    assert_equal :pool_pair, pool.series.kind
    assert_equal :lock_pair, delta(1, 3, 70, kind: Layout::PAIR_KINDS.index(:lock_pair)).series.kind
    refute_equal delta(1, 3, 70), pool
  end

  # A slot that its process was writing all the time comes with the next reading.
  def test_a_slot_that_was_not_read
    assert_nil delta(1, 2, 5)
    assert_nil delta(2, 1, 5)
  end

  def test_damage
    [[1, 9, 5], [0, 1, 5], [1, 3, Layout::MAX_NUMBER + 1]].each do |row|
      assert_raises(Holdup::DamagedData, row.inspect) { delta(*row) }
    end
    assert_raises(Holdup::DamagedData) { delta(1, 3, 5, kind: Layout::PAIR_KINDS.size) }
    assert_match(/MailJob waited for thread:puma is damaged/,
      assert_raises(Holdup::DamagedData) { delta(1, 3, 4, carried_ns: 5) }.message)
  end
end
