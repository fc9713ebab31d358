# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../../support/example_units"

module Holdup::Advise::Sizing
  class SpeedEffect::SpeedExponentTest < Minitest::Test
    SpeedExponent = SpeedEffect::SpeedExponent
    NS = 1_000_000_000

    def test_finds_what_was_planted
      [0.0, 0.4, 0.8, 1.2].each do |exponent|
        found = exponent_of(exponent:)
        assert_in_delta exponent, found.value, 3 * found.deviation + 0.02, "exponent #{exponent}"
        assert_operator found.deviation, :<, 0.15, "exponent #{exponent}"
      end
    end

    def test_is_never_above_the_highest_nor_below_zero
      assert_equal 1.5, exponent_of(exponent: 2.5).value
      assert_equal 0.0, exponent_of(exponent: -1.0).value
    end

    # Units in flight go with the machine's speed, and lengthen units: the speed is not blamed for that.
    def test_growth_is_another_explanation
      found = exponent_of(exponent: 0.0, growth: 0.3, load: 3.0)
      assert_operator found.value, :<, 0.25
      both = exponent_of(exponent: 1.0, growth: 0.3, load: 3.0)
      assert_in_delta 1.0, both.value, 0.25
    end

    # Where the two can't be told apart, each gets a part, and the deviation says so.
    def test_a_load_that_goes_exactly_with_the_speed_leaves_it_open
      clear = exponent_of(exponent: 1.0)
      open = exponent_of(exponent: 1.0, load: 3.0, chance: 0.0)
      assert_operator open.deviation, :>, 3 * clear.deviation
    end

    def test_few_data_are_trusted_little
      many, few = [30, 5].map { |minutes| exponent_of(exponent: 1.0, minutes:, sigma: 2.0) }
      assert_operator few.deviation, :>, 1.5 * many.deviation
      assert_equal SpeedExponent::NONE, exponent_of(exponent: 1.0, minutes: 3), "too few minutes"
      assert_equal SpeedExponent::NONE, exponent_of(exponent: 1.0, minutes: 30, each: 6), "too few units"
    end

    def test_units_of_which_the_start_is_unknown_do_not_count
      all = units(exponent: 1.0).map { |unit| unit.with(concurrency: nil) }
      assert_equal SpeedExponent::NONE, SpeedExponent.of(all, slowness(all), :running_ns)
    end

    # Another mix in slow minutes is no effect: units are compared with those of the same name.
    def test_heavy_units_in_slow_minutes_do_not_fool_it
      random = Random.new(2)
      heavy = units(exponent: 0.0).map do |unit|
        often = slow(minute(unit)).zero? ? 0.1 : 0.7
        next unit if random.rand >= often
        unit.with(series: unit.series.with(name: "B#c"), running_ns: unit.running_ns * 10)
      end
      assert_operator SpeedExponent.of(heavy, slowness(heavy), :running_ns).value, :<, 0.15
    end

    def test_without_concurrency_the_speed_alone_explains
      alone = units(exponent: 1.0).map { |unit| unit.with(concurrency: 0, in_flight_milli: 1000) }
      found = SpeedExponent.of(alone, slowness(alone), :running_ns)
      assert_in_delta 1.0, found.value, 0.15
    end

    private

    def exponent_of(**)
      units = units(**)
      SpeedExponent.of(units, slowness(units), :running_ns)
    end

    # Two fast minutes, then two that are 50 % slower, and so on.
    def slow(minute) = (minute % 4 < 2) ? 0.0 : Math.log(1.5)

    def minute(unit)
      (unit.start_ns / NS - ExampleUnits::START_S) / 60
    end

    def slowness(units)
      samples = (0..60).map do |minute|
        {at_s: ExampleUnits::START_S + 60 * (minute + 1), host: "a",
         fixed_work_ns: (900_000 * Math.exp(slow(minute))).round}
      end
      SpeedEffect::HostSlowness.of(samples, units)
    end

    # @param load [Float] further units in flight while the machine is slow
    # @param chance [Float] likewise at any time
    # @param each [Integer] of a minute
    def units(exponent:, growth: 0.0, load: 0.0, chance: 2.0, minutes: 24, each: 40, sigma: 0.5)
      random = Random.new(5)
      Array.new(minutes * each) do |index|
        minute = index / each
        at_s = minute * 60 + 25 + 10.0 * (index % each) / each
        others = (chance * random.rand + load * slow(minute) / Math.log(1.5)).round
        factor = Math.exp(exponent * slow(minute)) * (1 + growth * Math.log2(1 + others))
        unlike = Math.exp(random.rand(-sigma..sigma))
        ExampleUnits.unit_sample(at_s * 1000, concurrency: others, in_flight_milli: 1000 * (1 + others),
          running_ns: (8e6 * factor * unlike).round)
      end
    end
  end
end
