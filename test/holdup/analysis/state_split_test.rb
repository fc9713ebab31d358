# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::SeriesRow::StateSplitTest < Minitest::Test
  def split(**states)
    Holdup::Analysis::SeriesRow::StateSplit.new(*[0] * 7).with(**states)
  end

  def test_shares_are_of_the_whole
    one = split(cpu: 30, stalled: 60, io: 10)
    assert_equal 100, one.total
    assert_in_delta 0.6, one.share(:stalled)
    assert_equal :stalled, one.largest
  end

  def test_nothing_has_no_shares
    assert_in_delta 0.0, split.share(:cpu)
  end
end
