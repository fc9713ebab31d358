# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class HistogramDeltaTest < Minitest::Test
    def test_growths_add_up_to_the_whole
      random = Random.new(5)
      50.times do
        values = Array.new(60) { Math.exp(random.rand(0.0..30.0)).to_i }
        cuts = [0, *Array.new(3) { random.rand(61) }.sort, 60]
        sum = DeltaSum.new
        cuts.map { |cut| cells(values.first(cut)) }.each_cons(2) { |before, now|
          sum.add(HistogramDelta.between(now, before))
        }
        assert_equal Holdup::Histogram.of(values), sum.to_histogram
      end
    end

    def test_it_agrees_with_the_difference_of_histograms
      [[[3_000, 90_000, 2_000_000], [500, 50_000, 60_000]], [[5_000], [5_000]], [[], [7]], [[7], [9]],
        [[9], [5_000_000]]].each do |before, more|
        sum = DeltaSum.new
        sum.add(HistogramDelta.between(cells(before + more), cells(before)))
        assert_equal Holdup::Histogram.of(before + more) - Holdup::Histogram.of(before), sum.to_histogram
      end
    end

    def test_what_is_no_beginning_gives_nothing
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
