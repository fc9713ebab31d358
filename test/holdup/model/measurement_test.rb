# frozen_string_literal: true

require "test_helper"
require "holdup/model/measurement"

class Holdup::MeasurementTest < Minitest::Test
  def test_the_array_of_the_probe_fits_in_order
    measurement = Holdup::Measurement.new(*1..Holdup::Measurement.members.size)

    assert_equal [1, 3, 5, 6, 7, 8],
      [measurement.wall_ns, measurement.stalled_ns, measurement.queued_ns, measurement.longest_hold_ns,
        measurement.in_flight, measurement.cpu_ns]
  end
end
