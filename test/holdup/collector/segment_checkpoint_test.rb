# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/loader"
require "holdup/segment/directory"

class Holdup::Collector
  class SegmentCheckpointTest < Minitest::Test
    def test_loads_what_it_dumped
      checkpoint = checkpoint_of do |writer|
        3.times { |index| writer.record("A#b", wall: index * 10_000, queued: 5_000) }
      end
      copy = copy(checkpoint)
      assert_equal facts(checkpoint), facts(copy)
      assert_equal checkpoint.slots.map { |slot| slot.to_a.drop(1) },
        copy.slots.map { |slot| slot.to_a.drop(1) }
    end

    def test_accounts_are_in_the_head
      checkpoint = checkpoint_of do |writer|
        writer.record("A#b", wall: 1)
        writer.account("main", caused: 77)
      end
      loaded = SegmentCheckpoint::Codec.load(SegmentCheckpoint::Codec.dump_head(checkpoint), nil)
      caused = Holdup::Segment::Layout::SUMS.index(:caused_ns)
      assert_equal([nil, 77], loaded.slots.map { |slot| slot&.slot&.sums&.at(caused) })
    end

    def test_a_slot_that_was_never_read
      checkpoint = SegmentCheckpoint.start(5).with(slots: [nil, nil])
      assert_equal [nil, nil], copy(checkpoint).slots
    end

    def test_a_finished_one_is_small
      head = SegmentCheckpoint::Codec.dump_head(SegmentCheckpoint.start(1_700_000_000_000_000_000).done)
      assert_operator head.bytesize, :<, 40
      assert SegmentCheckpoint::Codec.load(head, nil).finished
    end

    def test_refuses_another_version_with_its_number
      head = SegmentCheckpoint::Codec.dump_head(SegmentCheckpoint.start(5))
      error = assert_raises(Holdup::DamagedData) { SegmentCheckpoint::Codec.load("\x07#{head[1..]}", nil) }
      assert_equal "a segment's stored checkpoint has version 7; this Holdup reads 5", error.message
    end

    def test_refuses_damaged_bytes
      head = SegmentCheckpoint::Codec.dump_head(SegmentCheckpoint.start(5))
      assert_raises(Holdup::DamagedData) { SegmentCheckpoint::Codec.load(head[0, 3], nil) }
      assert_raises(Holdup::DamagedData) { SegmentCheckpoint::Codec.load(head, "\x05") }
    end

    private

    def copy(checkpoint)
      codec = SegmentCheckpoint::Codec
      codec.load(codec.dump_head(checkpoint), codec.dump_units(checkpoint))
    end

    def facts(checkpoint) = checkpoint.to_h.except(:slots)

    def checkpoint_of
      Dir.mktmpdir("holdup-checkpoint") do |dir|
        yield SegmentWriter.new(dir)
        slots = Holdup::Segment::Directory.new(dir).entries.first.read { |reader| reader.snapshot.slots }
        slots = slots.map { |slot| SegmentCheckpoint::SlotCheckpoint.of(slot) }
        return SegmentCheckpoint.new(created_ns: 1, read_ns: 2, finished: false, handoff_ns: 3, ring_head: 4,
          slowest_head: 5, pairs: [70, 0, 3], slots:)
      end
    end
  end
end
