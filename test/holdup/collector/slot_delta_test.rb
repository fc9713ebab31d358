# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class SlotDeltaTest < Minitest::Test
    SlotCheckpoint = SegmentCheckpoint::SlotCheckpoint

    HistogramDelta = SlotDelta::HistogramDelta

    # Window::Totals adds deltas by position.
    def test_a_slot_has_the_sums_and_histograms_of_a_window_in_the_same_order
      assert_equal Holdup::Window::SUMS, Holdup::Segment::Layout::SUMS
      assert_equal Holdup::Window::HISTOGRAMS, Holdup::Segment::Layout::HISTOGRAMS
    end

    def test_deltas_add_up_to_the_whole
      random = Random.new(5)
      50.times do
        values = Array.new(60) { Math.exp(random.rand(0.0..30.0)).to_i }
        cuts = [0, *Array.new(3) { random.rand(61) }.sort, 60]
        sum = Holdup::HistogramSum.new
        readings = cuts.map { |cut| cells(values.first(cut)) }
        readings.each_cons(2) { |before, now| sum.add_dumps(HistogramDelta.between(now, before).dump) }
        assert_equal Holdup::Histogram.of(values), sum.to_histogram
      end
    end

    def test_it_agrees_with_the_difference_of_histograms
      [[[3_000, 90_000, 2_000_000], [500, 50_000, 60_000]], [[5_000], [5_000]], [[], [7]], [[7], [9]],
        [[9], [5_000_000]]].each do |before, more|
        sum = Holdup::HistogramSum.new
        sum.add_dumps(HistogramDelta.between(cells(before + more), cells(before)).dump)
        assert_equal Holdup::Histogram.of(before + more) - Holdup::Histogram.of(before), sum.to_histogram
      end
    end

    def test_adds_histograms_and_deltas_in_any_order
      dump = HistogramDelta.between(cells([5_000, 700_000]), cells([5_000])).dump
      histogram = Holdup::Histogram.of([900, 3_000_000])
      whole = Holdup::Histogram.of([700_000, 900, 3_000_000])
      assert_equal whole.counts, Holdup::HistogramSum.new.add(histogram).add_dumps(dump).to_histogram.counts
      assert_equal whole.counts, Holdup::HistogramSum.new.add_dumps(dump).add(histogram).to_histogram.counts
    end

    def test_is_nil_when_the_earlier_reading_is_not_a_prefix
      [[[5_000], [5_000, 6_000]], [[5_000, 9_000], [50_000]], [[5_000, 5_000, 700_000], [700_000, 700_000]],
        [[5_000, 700_000], [900]]].each do |now, before|
        assert_nil HistogramDelta.between(cells(now), cells(before)), [now, before].inspect
      end
    end

    # In C and in Ruby: of real bytes, growing, shrinking and damaged.
    def test_bytes_and_their_reading_give_the_same
      random = Random.new(7)
      values = known = nil
      outcomes = Array.new(400) do |turn|
        values = Array.new(Holdup::Segment::Layout::HISTOGRAMS.size) { [] } if (turn % 40).zero?
        values.each do |some|
          some.concat(Array.new(random.rand(3)) { Math.exp(random.rand(0.0..33.0)).to_i })
        end
        values.first.pop if random.rand(9).zero?
        bytes = slot_bytes(values, errors: turn)
        at = random.rand(Holdup::Segment::Layout::COUNT_OFFSET..bytes.bytesize - 200)
        bytes.setbyte(at, random.rand(256)) if random.rand(4).zero?
        found = SlotDelta.of_bytes(bytes, known)
        assert_equal by_hand(bytes, known), found.map(&:to_a) if found
        now = read(bytes)
        known = SlotCheckpoint.of(now) if now
        found ? :same : :left
      end
      assert_operator outcomes.count(:same), :>, 100
      assert_includes outcomes, :left
    end

    # From 128 buckets on, the number of buckets takes two bytes.
    def test_checkpoints_of_wide_histograms_are_the_same_in_c_and_in_ruby
      wide = Array.new(Holdup::Segment::Layout::HISTOGRAMS.size) { [2_000, 5_000, 3_000_000_000] }
      narrow = wide.map { |values| values.first(1) }
      _, made = SlotDelta.of_bytes(slot_bytes(wide), SlotCheckpoint.of(read(slot_bytes(narrow))))
      assert_equal SlotCheckpoint.of(read(slot_bytes(wide))).bytes, made.bytes
      assert_operator made.slot.histograms.last.counts.size, :>, 128
    end

    def test_leaves_what_it_can_not_read_to_ruby
      bytes = slot_bytes([[5_000], [], [70], []])
      known = SlotCheckpoint.of(read(slot_bytes([[], [], [], []])))
      assert SlotDelta.of_bytes(bytes, known)
      [known.bytes.chop, "#{known.bytes}\x01".b].each do |broken|
        assert_nil SlotDelta.of_bytes(bytes, known.dup.tap { |one| one.bytes = broken })
      end
      assert_nil SlotDelta.of_bytes(bytes.byteslice(0, 25_599), known)
      assert_nil SlotDelta.of_bytes("\xff".b + bytes.byteslice(1..), nil)
    end

    # One that is new, and one of a checkpoint that was read from a store.
    def test_reads_the_series_of_a_slot_that_it_does_not_know
      bytes = slot_bytes([[5_000], [], [70], []])
      stored = SlotCheckpoint.load(SlotCheckpoint.of(read(slot_bytes([[], [], [], []]))).bytes)
      [nil, stored].each do |known|
        change, checkpoint = SlotDelta.of_bytes(bytes, known)
        assert_equal SlotDelta.between(read(bytes), known&.slot), change
        assert_equal SlotCheckpoint.of(read(bytes)), checkpoint
      end
    end

    private

    # @return [Array, nil] what `of_bytes` has to answer; nil when it must not
    def by_hand(bytes, known)
      now = read(bytes)
      change = now && SlotDelta.between(now, known&.slot)
      change && [change.to_a, SlotCheckpoint.of(now).to_a]
    end

    def read(bytes) = Holdup::Segment::Slot.parse(bytes)

    # Four of its histograms have values.
    def slot_bytes(values, errors: 0)
      layout = Holdup::Segment::Layout
      bytes = "\0".b * layout::SERIES_BYTES
      write = ->(offset, numbers) { bytes[offset, numbers.size * 8] = numbers.pack("Q<*") }
      bytes[0, 12] = [1, 3, 0].pack("L<3")
      bytes[16, 3] = "A#b"
      count = values.sum(&:size)
      write[layout::COUNT_OFFSET, [count, errors, *layout::SUMS.each_index.map { |index| count * index }]]
      layout::HISTOGRAMS.each_index do |index|
        all = cells(values.fetch(index, []))
        offset = layout.histogram_offset(index)
        last = all.counts.empty? ? 0 : all.offset + all.counts.size - 1
        first = all.counts.empty? ? layout::BUCKETS : all.offset
        write[offset, [all.count, all.sum, all.min, all.max, all.zero, first, last]]
        write[offset + layout::BUCKETS_OFFSET + first * 8, all.counts] if all.counts.any?
      end
      bytes
    end

    def cells(values)
      all = Holdup::Histogram.of(values)
      Holdup::Segment::HistogramCells.new(all.count, all.sum, all.min || 0, all.max || 0, all.zero,
        all.offset, all.counts)
    end
  end
end
