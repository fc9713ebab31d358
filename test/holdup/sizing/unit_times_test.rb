# frozen_string_literal: true

require "test_helper"
require "support/sample_profiles"

module Holdup::Sizing
  class UnitTimesTest < Minitest::Test
    MS = 1_000_000

    # 1 ms in the queue, 3 ms of stall, 8 ms running, 20 ms idle; the second stands for three units.
    def units
      [SampleProfiles.profile(queued_ns: MS, weight: 1.0),
        SampleProfiles.profile(queued_ns: 5 * MS, stalled_ns: 11 * MS, weight: 3.0)]
    end

    def test_means_are_of_all_units_that_they_stand_for
      times = UnitTimes.new(units, queued: true)
      assert_equal [4.0, 9.0, 8.0, 41.0],
        [times.queued_ns, times.stalled_ns, times.running_ns, times.response_ns].map { |ns| ns / MS }
    end

    def test_percentiles
      times = UnitTimes.new(units, queued: true)
      assert_equal [32, 44], [0.25, 0.3].map { |share| times.response(share) / MS }
      assert_equal [4, 16], [0.25, 0.95].map { |share| times.wait(share) / MS }
    end

    def test_an_unknown_queue_is_in_no_figure
      times = UnitTimes.new(units.map { |unit| unit.with(queued_ns: nil) }, queued: false)
      assert_nil times.queued_ns
      assert_equal [37.0, 39, 11], [times.response_ns / MS, times.response(0.95) / MS, times.wait(0.95) / MS]
    end
  end
end
