# frozen_string_literal: true

require "test_helper"
require "holdup/model/unit_numbers"

class Holdup::UnitNumbersTest < Minitest::Test
  NUMBERS = Holdup::UnitNumbers

  def test_each_state_is_a_sum_or_a_histogram
    assert_empty NUMBERS::STATES.values - NUMBERS::SUMS - NUMBERS::HISTOGRAMS
  end

  def test_stalled_is_between_the_states_with_the_gvl_and_those_without_interest
    running, idle = NUMBERS::RUNNING_STATES.size, NUMBERS::IDLE_STATES.size
    assert_equal :stalled, NUMBERS::STATES.keys[running]
    assert_equal running + 1 + idle, NUMBERS::STATES.size
  end
end
