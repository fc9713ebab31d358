# frozen_string_literal: true

require "test_helper"
require "holdup/segment/directory"
require "holdup/segment/slot"

module Holdup
  module Segment
    class HistogramCellsTest < Minitest::Test
      def test_bytes_that_do_not_add_up_are_refused
        buckets = Array.new(512) { |slot| (slot == 36) ? 1 : 0 }
        good = [1, 5_000, 5_000, 5_000, 0, 36, 36, 0] + buckets
        assert_equal 1, HistogramCells.parse(good.pack("Q<*"), 0).count
        {0 => 2, 1 => 1 << 62, 2 => 6_000, 3 => 1 << 63, 4 => 5, 5 => 600, 6 => 600}.each do |word, lie|
          assert_nil HistogramCells.parse(good.dup.tap { |copy| copy[word] = lie }.pack("Q<*"), 0),
            "word #{word}"
        end
      end

      def test_an_empty_one
        empty = ([0, 0, 0, 0, 0, 512, 0, 0] + Array.new(512, 0)).pack("Q<*")
        assert_equal Histogram.empty, HistogramCells.parse(empty, 0).to_histogram
      end
    end

    class SlotSumsTest < Minitest::Test
      UNIT = {
        wall: 9_000_000, running: 3_000_000, stalled: 2_000_000, queued: 1_000_000, caused_ns: 700
      }.freeze

      # @yieldparam writer [SegmentWriter]
      # @yieldparam reader [Reader]
      def written
        Dir.mktmpdir do |dir|
          writer = SegmentWriter.new(dir)
          writer.record("A#x", **UNIT)
          Reader.open(writer.path) { |reader| yield writer, reader }
        end
      end

      def test_has_the_sums_of_the_whole_slot
        written do |writer, reader|
          writer.record("A#x", wall: 5_000_000)
          reader.refresh
          whole = reader.slot(0)
          sums = reader.slot(0, as: SlotSums)
          assert_equal whole.series, sums.series
          assert_equal [whole.count, *%i[wall running stalled].map { |name| whole.histogram(name).sum }],
            [sums.count, sums.wall_ns, sums.running_ns, sums.stalled_ns]
          assert_equal [1, 1_000_000, 700], [sums.queued, sums.queued_ns, sums.caused_ns]
        end
      end

      def test_a_known_slot_is_read_again_only_when_it_grew
        written do |writer, reader|
          known = reader.slot(0, as: SlotSums)
          assert_same known, reader.slot(0, known, as: SlotSums)
          writer.record("A#x", **UNIT)
          refute_same known, reader.slot(0, known, as: SlotSums)
        end
      end

      # A live table shows what the threads of the present name do.
      def test_an_account_that_got_another_name_has_only_its_own_sums
        written do |writer, reader|
          writer.account("thread:a", running: 50, stalled: 5, caused: 3)
          reader.refresh
          before = reader.slot(1, as: SlotSums)
          writer.rename_account("thread:a", "thread:b")
          writer.account("thread:b", running: 57, stalled: 6, caused: 3)
          now = reader.slot(1, before, as: SlotSums)
          assert_equal ["thread:b", 7, 1, 0], [now.series.name, now.running_ns, now.stalled_ns, now.caused_ns]
          assert_equal 7, now.since(before).running_ns
          writer.account("thread:b", running: 60, stalled: 6, caused: 3)
          assert_equal 3, reader.slot(1, now, as: SlotSums).since(now).running_ns
        end
      end

      def test_an_account_has_no_count_and_is_always_read_again
        written do |writer, reader|
          writer.account("main", running: 5)
          reader.refresh
          known = reader.slot(1, as: SlotSums)
          writer.account("main", running: 8)
          assert_equal 3, reader.slot(1, known, as: SlotSums).since(known).running_ns
        end
      end

      def test_differences_and_sums
        written do |writer, reader|
          before = reader.slot(0, as: SlotSums)
          2.times { writer.record("A#x", **UNIT) }
          now = reader.slot(0, before, as: SlotSums)
          assert_equal 2, now.since(before).count
          assert_equal 3, now.since(nil).count
          assert_equal 5, (now.since(before) + now).count
        end
      end

      def test_bytes_that_can_not_be_are_refused
        written do |writer, reader|
          writer.put_word(writer.slot_offset(0) + SlotSums::CAUSED_AT, 1 << 63)
          error = assert_raises(SegmentError::NotASegment) { reader.slot(0, as: SlotSums) }
          assert_match(/slot 0 is damaged/, error.message)
        end
      end
    end
  end
end
