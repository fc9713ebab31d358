# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::StateLooksTest < Minitest::Test
  LOOKS = Holdup::View::StateLooks::ALL

  def test_each_state_has_a_look_in_the_order_of_the_states
    assert_equal Holdup::UnitNumbers::STATES.keys, LOOKS.keys
  end

  def test_no_two_look_the_same
    %i[symbol terminal light dark mark].each do |part|
      assert_equal LOOKS.size, LOOKS.values.map(&part).uniq.size, part
    end
  end
end
