# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/loader"
require "holdup/segment/directory"

class Holdup::Collector
  class CheckpointCodecTest < Minitest::Test
    def test_there_and_back
      position = position_of { |writer|
        3.times { |index| writer.record("A#b", wall: index * 10_000, queued: 5_000) }
      }
      copy = CheckpointCodec.load(CheckpointCodec.dump_head(position), CheckpointCodec.dump_units(position))
      assert_equal facts(position), facts(copy)
      assert_equal position.marks.map { |mark| mark.to_a.drop(1) },
        copy.marks.map { |mark| mark.to_a.drop(1) }
    end

    def test_accounts_are_in_the_head
      position = position_of do |writer|
        writer.record("A#b", wall: 1)
        writer.account("main", caused: 77)
      end
      assert_equal [nil, 77],
        CheckpointCodec.load(CheckpointCodec.dump_head(position),
          nil).marks.map { |mark| mark&.slot&.sums&.at(7) }
    end

    def test_a_slot_that_was_never_read
      position = SegmentCheckpoint.start(5).with(marks: [nil, nil])
      assert_equal [nil, nil],
        CheckpointCodec.load(CheckpointCodec.dump_head(position), CheckpointCodec.dump_units(position)).marks
    end

    def test_a_finished_one_is_small
      head = CheckpointCodec.dump_head(SegmentCheckpoint.start(1_700_000_000_000_000_000).done)
      assert_operator head.bytesize, :<, 40
      assert CheckpointCodec.load(head, nil).finished
    end

    def test_damage_is_told
      head = CheckpointCodec.dump_head(SegmentCheckpoint.start(5))
      assert_raises(Holdup::DamagedData) { CheckpointCodec.load(head[0, 3], nil) }
      assert_raises(Holdup::DamagedData) { CheckpointCodec.load("\x07#{head[1..]}", nil) }
      assert_raises(Holdup::DamagedData) { CheckpointCodec.load(head, "\x05") }
    end

    private

    def facts(position) = position.to_h.except(:marks)

    def position_of
      Dir.mktmpdir("holdup-position") do |dir|
        yield SegmentWriter.new(dir)
        slots = Holdup::Segment::Directory.new(dir).entries.first.read { |reader| reader.snapshot.slots }
        return SegmentCheckpoint.new(created_ns: 1, read_ns: 2, finished: false, handoff_ns: 3, ring_head: 4,
          marks: slots.map { |slot| SlotCheckpoint.of(slot) })
      end
    end
  end
end
