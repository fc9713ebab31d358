# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers/live_lever"

class Holdup::Servers::LiveLeverTest < Minitest::Test
  def test_a_lever_that_serves_at_once_is_measured_after_a_round_of_the_collector
    lever = Class.new { include Holdup::Servers::LiveLever }.new
    assert_equal Holdup::Servers::LiveLever::ROUND_S, lever.steady_s
    refute_predicate lever, :warming_up?
    refute lever.joined?(3)
  end
end
