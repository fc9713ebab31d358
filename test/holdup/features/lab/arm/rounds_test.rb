# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Arm::RoundsTest < Minitest::Test
  def test_each_round_has_all_arms_in_another_order
    orders = Array.new(3) { |round| Holdup::Lab::Arm::Rounds.order(%i[a b c], round) }
    assert_equal %i[a b c], orders.first
    assert_equal [%i[a b c]] * 3, orders.map(&:sort)
    assert_equal 3, orders.uniq.size
  end

  def test_gives_the_samples_of_each_arm
    number = 0
    assert_equal({a: [1, 4], b: [2, 3]},
      Holdup::Lab::Arm::Rounds.call(%i[a b], 2) { number += 1 }.transform_values(&:sort))
  end
end
