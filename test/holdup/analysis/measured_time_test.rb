# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Analysis
  class MeasuredTimeTest < Minitest::Test
    Unit = Data.define(:start_ns, :end_ns)

    def test_the_first_and_the_last_minute_are_parts
      coverage = MeasuredTime.of([unit(605, 606), unit(630, 602), unit(740, 750.5)])
      assert_equal [55.0, 60.0, 30.5, 0.0],
        [600, 660, 720, 780].map { |minute_s| coverage.seconds(minute_s, minute_s + 60) }
      assert coverage.exact
    end

    def test_reports_nothing_without_single_units
      assert_nil MeasuredTime.of([])
    end

    def test_pauses
      coverage = MeasuredTime.whole(0, 100).without(20, 50)
      assert_equal [0.0..20.0, 50.0..100.0], coverage.spans
      assert_equal [10.0, 70.0], [coverage.seconds(15, 55), coverage.total_s]
      assert_predicate coverage.without(-1, 200), :empty?
      assert_equal coverage, coverage.without(60, 60)
    end

    def test_reports_the_time_covered_by_windows
      assert_equal [10.0..40.0, 60.0..80.0],
        MeasuredTime.whole(10, 90).within([[0, 20], [20, 40], [60, 80]]).spans
    end

    def test_a_rate_needs_a_second
      assert_equal 4.5, MeasuredTime.whole(0, 2).rate(9)
      assert_nil MeasuredTime.whole(0, 0.5).rate(9)
      assert_nil MeasuredTime.whole(3, 3).rate(9)
    end

    private

    def unit(from_s, to_s)
      Unit.new(start_ns: (from_s * 1e9).to_i, end_ns: (to_s * 1e9).to_i)
    end
  end
end
