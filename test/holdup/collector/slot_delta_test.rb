# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class SlotDeltaTest < Minitest::Test
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
        readings.each_cons(2) { |before, now| sum.add_delta(HistogramDelta.between(now, before)) }
        assert_equal Holdup::Histogram.of(values), sum.to_histogram
      end
    end

    def test_it_agrees_with_the_difference_of_histograms
      [[[3_000, 90_000, 2_000_000], [500, 50_000, 60_000]], [[5_000], [5_000]], [[], [7]], [[7], [9]],
        [[9], [5_000_000]]].each do |before, more|
        sum = Holdup::HistogramSum.new
        sum.add_delta(HistogramDelta.between(cells(before + more), cells(before)))
        assert_equal Holdup::Histogram.of(before + more) - Holdup::Histogram.of(before), sum.to_histogram
      end
    end

    def test_adds_histograms_and_deltas_in_any_order
      delta = HistogramDelta.between(cells([5_000, 700_000]), cells([5_000]))
      histogram = Holdup::Histogram.of([900, 3_000_000])
      whole = Holdup::Histogram.of([700_000, 900, 3_000_000])
      assert_equal whole.counts, Holdup::HistogramSum.new.add(histogram).add_delta(delta).to_histogram.counts
      assert_equal whole.counts, Holdup::HistogramSum.new.add_delta(delta).add(histogram).to_histogram.counts
    end

    def test_is_nil_when_the_earlier_reading_is_not_a_prefix
      [[[5_000], [5_000, 6_000]], [[5_000, 9_000], [50_000]], [[5_000, 5_000, 700_000], [700_000, 700_000]],
        [[5_000, 700_000], [900]]].each do |now, before|
        assert_nil HistogramDelta.between(cells(now), cells(before)), [now, before].inspect
      end
    end

    private

    def cells(values)
      all = Holdup::Histogram.of(values)
      Holdup::Segment::HistogramCells.new(all.count, all.sum, all.min || 0, all.max || 0, all.zero,
        all.offset, all.counts)
    end
  end
end
