# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::GvlOverTimeTest < Minitest::Test
  Gvl = Holdup::Analysis::GvlOverTime
  Party = Holdup::Analysis::StallPairs::Party
  SALES = Party.new(name: "ReportsController#sales", kind: :request)

  def gvl(waiting)
    Gvl.new(at_s: [0, 60, 120], names: [SALES], waiting:, held: {}, threads: [])
  end

  def test_the_total_is_of_all_who_hold_it
    found = gvl({SALES => [1.5, nil, 0.0], Gvl::OTHERS => [0.5, nil, 0.0]})

    assert_equal [2.0, nil, 0.0], found.total
    refute_empty found
  end

  def test_is_empty_where_nothing_waited
    assert_empty gvl({})
    assert_empty gvl({SALES => [0.0, nil, 0.0]})
  end
end
