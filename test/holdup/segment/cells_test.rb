# frozen_string_literal: true

require "test_helper"
require "holdup/segment/cells"

module Holdup
  module Segment
    class CellsTest < Minitest::Test
      def test_differences_add_up_to_the_whole
        random = Random.new(5)
        50.times do
          values = Array.new(60) { Math.exp(random.rand(0.0..30.0)).to_i }
          cuts = [0, *Array.new(3) { random.rand(61) }.sort, 60]
          readings = cuts.map { |cut| cells(values.first(cut)) }
          changes = readings.each_cons(2).map { |before, now| now.since(before).to_histogram }
          assert_equal Histogram.of(values), Histogram.sum(changes)
        end
      end

      def test_it_agrees_with_the_difference_of_histograms
        before, more = [3_000, 90_000, 2_000_000], [500, 50_000, 60_000]
        assert_equal Histogram.of(before + more) - Histogram.of(before), cells(before + more).since(cells(before)).to_histogram
      end

      def test_what_is_no_beginning_gives_nothing
        assert_nil cells([5_000]).since(cells([5_000, 6_000]))
        assert_nil cells([5_000, 9_000]).since(cells([50_000]))
        assert_nil cells([5_000, 5_000, 700_000]).since(cells([700_000, 700_000]))
      end

      def test_bytes_that_do_not_add_up_are_refused
        buckets = Array.new(512) { |slot| (slot == 36) ? 1 : 0 }
        good = [1, 5_000, 5_000, 5_000, 0, 36, 36, 0] + buckets
        assert_equal 1, Cells.parse(good.pack("Q<*"), 0).count
        {0 => 2, 1 => 1 << 62, 2 => 6_000, 3 => 1 << 63, 4 => 5, 5 => 600, 6 => 600}.each do |word, lie|
          assert_nil Cells.parse(good.dup.tap { |copy| copy[word] = lie }.pack("Q<*"), 0), "word #{word}"
        end
      end

      def test_an_empty_one
        empty = ([0, 0, 0, 0, 0, 512, 0, 0] + Array.new(512, 0)).pack("Q<*")
        assert_equal Histogram.empty, Cells.parse(empty, 0).to_histogram
      end

      private

      def cells(values)
        all = Histogram.of(values)
        Cells.new(all.count, all.sum, all.min || 0, all.max || 0, all.zero, all.offset, all.counts)
      end
    end
  end
end
