# frozen_string_literal: true

require "test_helper"
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
  end
end
