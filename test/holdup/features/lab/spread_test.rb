# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::SpreadTest < Minitest::Test
  def test_the_median_speaks_and_the_range_says_how_far_to_trust_it
    assert_equal "2 (1..9)", Holdup::Lab::Spread.of([9, 1, 2]).to_s
    assert_equal "2.5 (1.0..9.0)", Holdup::Lab::Spread.of([9, 1, 2, 3]).to_s(1)
  end

  def test_pairs_cancel_what_disturbs_a_round
    assert_equal [2, 2], Holdup::Lab::Spread.paired([2, 20], [1, 10]) { |one, other| one / other }.values
  end
end
