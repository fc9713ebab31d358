# frozen_string_literal: true

require "test_helper"
require "holdup/analysis/sizing/growth"

module Holdup::Analysis::Sizing
  class GrowthTest < Minitest::Test
    SEEDS = (1..5)
    COVERED = 0.85

    # Heavy-tailed units are what fools whoever looks at a unit's own neighbours.
    def test_the_interval_has_the_true_growth
      cases = [[0.0, :LIKE], [0.03, :LIKE], [0.08, :LIKE], [0.0, :HEAVY_TAILED]].product(SEEDS.to_a)
      wrong = cases.reject do |(growth, endpoints), seed|
        found = overall(seed:, growth:, endpoints: SimulatedRecording.const_get(endpoints))
        growth.between?(found.low, found.high)
      end
      assert_operator wrong.size, :<=, cases.size * (1 - COVERED), wrong.inspect
    end

    def test_a_longer_recording_tells_more
      short, long = [30, 120].map { |minutes| overall(seed: 3, growth: 0.05, minutes:) }
      assert_operator long.high - long.low, :<, 0.7 * (short.high - short.low)
      assert_in_delta 0.05, long.value, 0.025
      assert_operator long.spread, :>, 0.3
      assert_equal [false, true], [short.enough?, long.grows?]
    end

    # More heavy units at high load are no growth: each endpoint is compared with itself only.
    def test_a_mix_that_goes_with_the_load_does_not_fool_it
      wrong = SEEDS.reject do |seed|
        found = overall(seed:, endpoints: SimulatedRecording::MIXED_BY_LOAD)
        0.between?(found.low, found.high)
      end
      assert_operator wrong.size, :<=, 1
      one = profiles(seed: 1, endpoints: SimulatedRecording::MIXED_BY_LOAD).map { |profile| profile.with(series: Holdup::Series.new(kind: :request, name: "all")) }
      assert_operator Growth.new(one).overall.low, :>, 0, "this mix would fool who does not tell endpoints apart"
    end

    def test_the_part_of_garbage_collection
      found = overall(seed: 2, growth: 0.08, gc_growth: 0.06, minutes: 60)
      assert_in_delta 0.75, found.gc / found.value, 0.25
      assert_in_delta found.value, found.gc + found.rest, 1e-9
    end

    def test_each_series
      growth = Growth.new(profiles(seed: 4, growth: 0.08, minutes: 60))
      assert_equal ["C#c", "A#a", "B#b"].sort, growth.series.keys.map(&:name).sort
      growth.series.each_value { |found| assert_operator found.high - found.low, :>, growth.overall.high - growth.overall.low }
      assert_operator growth.series.values.count { |found| 0.08.between?(found.low, found.high) }, :>=, 2
    end

    def test_without_variation_nothing_is_excluded
      found = overall(seed: 1, threads: 1)
      refute found.enough?
      assert_equal [0.0, 0.0], [found.spread.round(3), found.for_models]
      assert_equal [Growth::Estimate::LOWEST, Growth::Estimate::HIGHEST], [found.low, found.high]
    end

    def test_a_load_that_hardly_varies_widens_the_interval
      steady, swaying = [0.02, 0.6].map { |sway| overall(seed: 5, growth: 0.03, sway:) }
      assert_operator steady.high - steady.low, :>, 1.5 * (swaying.high - swaying.low)
      refute steady.enough?
    end

    def test_of_very_many_units_some_are_looked_at
      some = profiles(seed: 1, minutes: 10)
      assert_includes 40_000..Growth::MOST, Growth.new(Array.new(Growth::MOST / some.size * 5) { some }.flatten).overall.units
    end

    def test_few_units_say_nothing
      found = Growth.new(profiles(seed: 1).first(150)).overall
      assert_equal [nil, false, 0.0], [found.value, found.enough?, found.for_models]
      assert_nil Growth.new([]).overall.value
    end

    private

    def profiles(**options) = SimulatedRecording.new(**options).profiles

    def overall(**options) = Growth.new(profiles(**options)).overall
  end
end
