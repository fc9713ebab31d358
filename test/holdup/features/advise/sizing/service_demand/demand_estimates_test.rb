# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/played_recording"

module Holdup::Advise::Sizing
  class DemandEstimatesTest < Minitest::Test
    RECORDING = PlayedRecording.new(minutes: 4, growth: 0.1)
    TRAFFIC = Traffic.of(RECORDING.unit_samples, RECORDING.arrivals)

    def growth(value, low, high)
      CoherencyEstimator::IntervalEstimate.unknown(500).with(value:, low:, high:)
    end

    def recording(growth, cost)
      RECORDING.dup.tap do |one|
        one.define_singleton_method(:growth_estimate) { growth }
        one.define_singleton_method(:idle_growth) { nil }
        one.define_singleton_method(:demand) { RECORDING.demand.with(cost:) }
      end
    end

    # @return [Array<Float>] growths that so many draws take
    def drawn(growth)
      estimates = ServiceDemand::DemandEstimates.new(
        recording(growth, RECORDING.demand.cost.with(**{growth: growth&.value}.compact)), TRAFFIC
      )
      Array.new(200) { |seed| estimates.call(TRAFFIC, seed:).cost.growth }
    end

    def test_all_of_it_is_the_recording_itself
      assert_equal RECORDING.demand, ServiceDemand::DemandEstimates.new(RECORDING, TRAFFIC).call(TRAFFIC)
    end

    def test_a_growth_is_drawn_from_its_interval
      draws = drawn(growth(0.1, 0.06, 0.2))
      assert_in_delta 0.1, draws.sort[100], 0.01
      assert_in_delta 10, draws.count { |one| one < 0.06 }, 8
      assert_in_delta 10, draws.count { |one| one > 0.2 }, 8
    end

    # Both are drawn as one: what is known is their sum.
    def test_what_collections_mark_is_drawn_with_it
      estimates = ServiceDemand::DemandEstimates.new(
        recording(growth(0.2, 0.15, 0.25), CoherencyCost.new(growth: 0.1, marking: 0.05)), TRAFFIC
      )
      draws = Array.new(20) { |seed| estimates.call(TRAFFIC, seed:).cost }
      assert_equal [2.0], draws.map { |cost| (cost.growth / cost.marking).round(9) }.uniq
      assert_operator draws.map(&:marking).uniq.size, :>, 10
    end

    def test_draws_end_at_what_anybody_has_seen
      draws = drawn(growth(0.1, -0.2, 1.0))
      assert_equal [0.0, ServiceDemand::DemandEstimates::MOST], draws.minmax
    end

    # Then the guess itself must not lie beyond all draws.
    def test_a_recording_that_says_more_is_believed
      draws = drawn(growth(0.4, 0.3, 0.6))
      assert_in_delta 0.4, draws.sort[100], 0.01
      assert_in_delta 0.6, draws.max, 1e-9
    end

    def test_keeps_the_default_of_the_models_where_nothing_is_known
      assert_equal [0.1], drawn(growth(nil, -0.2, 1.0)).uniq
      assert_equal [0.1], drawn(nil).uniq
    end

    def test_other_units_ask_for_as_much_more_as_they_took
      twice = TRAFFIC.map { |unit_sample|
        unit_sample.with(running_ns: unit_sample.running_ns * 2, idle_ns: unit_sample.idle_ns * 3)
      }
      demand = ServiceDemand::DemandEstimates.new(RECORDING, TRAFFIC).call(twice)
      assert_in_delta 2, demand.held_ns / RECORDING.demand.held_ns, 1e-3
      assert_in_delta 3, demand.idle_ns / RECORDING.demand.idle_ns, 1e-3
    end
  end
end
