# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/played_recording"

module Holdup::Advise::Sizing
  class FreeCpusTest < Minitest::Test
    # Two processes that hold their GVLs for much of the time, on CPUs that others want too.
    def utilisation(vcpus)
      @traces ||= PlayedRecording.new(rate: 80.0, minutes: 3).then { |one|
        Traffic.of(one.unit_samples, one.arrivals).recorded(units: 8_000)
      }
      Replay.call(@traces, Scenario.of(processes: 2, threads: 5, vcpus:)).utilisation
    end

    def fit(range, measured)
      SelfTest::FreeCpus.fit(range, measured) { |vcpus| utilisation(vcpus) }
    end

    def test_finds_as_many_as_there_were
      [1.3, 1.5, 1.8].each { |truth| assert_in_delta truth, fit(1.2..2.0, utilisation(truth)), 0.06 }
    end

    def test_stays_within_what_can_be
      assert_equal 1.5, fit(1.5..2.0, 1.0)
      assert_in_delta 2.0, fit(1.5..2.0, 0.0), 0.04
    end

    def test_where_others_use_none_there_is_nothing_to_find
      assert_equal(2.0, SelfTest::FreeCpus.fit(2.0..2.0, 0.5) { flunk })
    end
  end
end
