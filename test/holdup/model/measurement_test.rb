# frozen_string_literal: true

require "test_helper"
require "holdup/model/measurement"

class Holdup::MeasurementTest < Minitest::Test
  def test_the_array_of_the_probe_fits_in_order
    measurement = Holdup::Measurement.new(*1..26)

    assert_equal [1, 5, 16, 17, 18],
      [measurement.wall_ns, measurement.stalled_ns, measurement.hold_squares_us2, measurement.queued_ns,
        measurement.in_flight]
  end
end
