# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Segment::SlowestListTest < Minitest::Test
  include TemporaryFolder

  L = Holdup::Segment::Layout
  SlowestPart = Holdup::Segment::SlowestPart

  def setup
    @writer = SegmentWriter.new(folder)
    @writer.record("A#b")
  end

  def list(since: 0)
    Holdup::Segment::Reader.open(@writer.path) { |reader| reader.slowest(since:) }
  end

  def test_reads_what_was_written
    @writer.slow(0, wall: 70, stalled: 30, io_ns: 9, pool_wait_ns: 4, trace: "f" * 32, queued: 5,
      parts: [[L::PART_CALL, 3, 8], [L::PART_PAIR, L::PART_OPEN, 7]], id: "0d1e")
    entry = list.entries.first
    assert_equal [70, 30, 5, "f" * 32], entry.unit.to_h.values_at(:wall_ns, :stalled_ns, :queued_ns, :trace)
    assert_equal [9, 0, 4], [entry.io_ns, entry.lock_ns, entry.pool_wait_ns]
    assert_equal [SlowestPart.new(L::PART_CALL, 3, 8), SlowestPart.new(L::PART_PAIR, 0, 7)], entry.parts
    assert_equal "0d1e", entry.id
  end

  def test_an_id_may_take_all_of_its_room_or_be_unknown
    @writer.slow(0, id: "a" * L::ID_BYTES)
    @writer.slow(0)
    assert_equal ["a" * L::ID_BYTES, nil], list.entries.map(&:id)
  end

  def test_reads_only_what_is_new_and_counts_what_was_overwritten
    3.times { |number| @writer.slow(0, wall: number) }
    assert_equal [[0, 1, 2], [2], []], [0, 2, 3].map { |since| walls(list(since:)) }
    L::SLOWEST.times { |number| @writer.slow(0, wall: 10 + number) }
    found = list(since: 2)
    assert_equal L::SLOWEST - 1, found.entries.size, "the oldest may be overwritten just now"
    assert_equal [L::SLOWEST + 3, 2], [found.head, found.missed]
    assert_equal 10 + L::SLOWEST - 1, walls(found).last
  end

  def test_a_list_that_became_shorter_is_damaged
    @writer.slow(0)
    assert_raises(Holdup::SegmentError::NotASegment) { list(since: 2) }
  end

  def walls(list) = list.entries.map { |entry| entry.unit.wall_ns }
end
