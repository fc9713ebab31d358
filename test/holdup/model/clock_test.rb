# frozen_string_literal: true

require "test_helper"
require "holdup/model/clock"

class Holdup::ClockTest < Minitest::Test
  def test_realtime_is_nanoseconds_and_seconds_since_1970
    clock = Holdup::Clock.new

    assert_in_delta Time.now.to_f, clock.realtime_ns / 1e9, 5
    assert_in_delta Time.now.to_i, clock.realtime_s, 5
  end

  def test_monotonic_never_goes_back
    clock = Holdup::Clock.new
    readings = Array.new(100) { clock.monotonic_ns }

    assert_equal readings.sort, readings
  end
end
