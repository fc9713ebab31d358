# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers/sidekiq"

# The adapter itself runs in test/integration/sidekiq_test.rb.
class Holdup::Servers::SidekiqTest < Minitest::Test
  def test_the_round_trip_is_the_median_of_what_the_heartbeat_has_measured
    readings = [[900, 0, 0, 0, 0], [900, 100, 300, 0, 0], [0, 0, 0, 0, 0]]
    times = readings.map { |each| Holdup::Servers::Sidekiq::RoundTrip.median_ns(each) }
    assert_equal [900_000, 300_000, nil], times
  end
end
