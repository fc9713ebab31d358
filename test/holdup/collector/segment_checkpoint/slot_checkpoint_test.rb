# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class SlotCheckpointTest < Minitest::Test
    SlotCheckpoint = SegmentCheckpoint::SlotCheckpoint

    def test_unpacks_what_it_packed
      [[1, 2, 300, 70_000], [], [(1 << 31) - 1], [1 << 40, 3]].each do |counts|
        copy = SlotCheckpoint.load(SlotCheckpoint.of(slot(counts)).bytes).slot
        assert_equal slot(counts).to_a.drop(1), copy.to_a.drop(1)
      end
    end

    def test_refuses_damaged_bytes
      cut = SlotCheckpoint.of(slot([1, 2])).bytes[0, 20]
      assert_raises(Holdup::DamagedData) { SlotCheckpoint.load(cut).slot }
    end

    def test_is_unchanged_while_count_and_errors_are
      checkpoint = SlotCheckpoint.of(slot([1]))
      assert checkpoint.still?([7, 2])
      refute checkpoint.still?([8, 2])
      refute checkpoint.still?([7, 3])
      refute SlotCheckpoint.load(checkpoint.bytes).still?([7, 2]), "its series is not known yet"
    end

    private

    def slot(counts)
      histograms = Array.new(6) do |index|
        Holdup::Segment::HistogramCells.new(counts.sum, 1 << 50, 5, 1 << 40, 0, index, counts)
      end
      sums = Array.new(Holdup::Segment::Layout::SUMS.size) { |index| index * (1 << 30) }
      Holdup::Segment::Slot.new(Holdup::Series.new(kind: :request, name: "A#b"), 7, 2, sums, histograms)
    end
  end
end
