# frozen_string_literal: true

require "test_helper"
require "holdup/analysis/sizing/coverage"

module Holdup::Analysis::Sizing
  class CoverageTest < Minitest::Test
    Unit = Data.define(:start_ns, :end_ns)

    def unit(from_s, to_s) = Unit.new(start_ns: (from_s * 1e9).to_i, end_ns: (to_s * 1e9).to_i)

    def test_the_first_and_the_last_minute_are_parts
      coverage = Coverage.new([unit(605, 606), unit(600 + 30, 602), unit(740, 750.5)])
      assert_equal [55.0, 60.0, 30.5, 0.0], [600, 660, 720, 780].map { |minute_s| coverage.seconds(minute_s) }
      assert coverage.enough?(720)
      refute Coverage.new([unit(658, 670)]).enough?(600)
    end

    def test_without_single_units_minutes_count_as_whole
      assert_equal 60.0, Coverage.new([]).seconds(600)
    end
  end
end
