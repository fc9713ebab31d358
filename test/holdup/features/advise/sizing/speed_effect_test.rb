# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/example_units"

module Holdup::Advise::Sizing
  class SpeedEffectTest < Minitest::Test
    START_S = ExampleUnits::START_S
    MS = ExampleUnits::MS
    Exponent = SpeedEffect::SpeedExponent

    def test_a_unit_at_the_mean_speed_is_without_what_a_slow_machine_added
      slow, fast = units(at_s: [30, 90])
      effect = effect(running: 1.0, idle: 0.5)
      assert_in_delta Math.log(2) / 2, effect.slowness(slow)
      assert_in_delta 8 * MS / Math.sqrt(2), effect.at_mean_speed(slow).running_ns, 1
      assert_in_delta 8 * MS * Math.sqrt(2), effect.at_mean_speed(fast).running_ns, 1
      assert_in_delta 20 * MS / 2**0.25, effect.at_mean_speed(slow).idle_ns, 1
    end

    def test_all_parts_of_the_time_with_the_gvl_follow_the_machine
      slowed = effect(running: 1.0).slowed(units.first, Math.log(1.5))
      expected = {running_ns: 12 * MS, cpu_ns: 10.5 * MS, gc_ns: 1.5 * MS, longest_hold_ns: 3 * MS,
                  idle_ns: 20 * MS, stalled_ns: 3 * MS}
      expected.each { |field, ns| assert_in_delta ns, slowed.public_send(field), 1, field }
    end

    def test_nothing_changes_where_no_effect_was_found
      unit = units.first
      refute_predicate effect, :any?
      assert_same unit, effect.at_mean_speed(unit)
      assert_same unit, SpeedEffect::NONE.at_mean_speed(unit)
      refute_predicate SpeedEffect::NONE, :varies?
    end

    def test_the_demand_of_some_units_is_that_at_their_speed
      demand = ServiceDemand.new(held_ns: 10.0 * MS, idle_ns: 10.0 * MS)
      slow = effect(running: 1.0, idle: 0.0).demand(demand, units(at_s: [30]))
      assert_in_delta 10 * MS * Math.sqrt(2), slow.held_ns, 1
      assert_in_delta 10 * MS, slow.idle_ns
      assert_equal demand, effect.demand(demand, units(at_s: [30]))
    end

    # A sample has the mean of the minute before it.
    def test_speeds_are_those_of_the_middle_of_a_minute_and_change_evenly_between
      slowness = SpeedEffect::HostSlowness.of(samples("a" => [800, 400, 400]), [])
      found = [0, 30, 60, 90, 150, 500].map { |at_s| slowness.at("a", (START_S + at_s) * NS) }
      high, low = [800, 400].map { |ns| Math.log(ns) }
      expected = [high, high, (high + low) / 2, low, low, low]
      expected.zip(found) { |logarithm, at| assert_in_delta logarithm, at }
    end

    def test_a_host_that_is_always_slow_has_no_changes
      all = units(at_s: [30, 90]) + units(at_s: [30, 90], host: "b")
      slowness = SpeedEffect::HostSlowness.of(samples("a" => [800, 400], "b" => [3200, 1600]), all)
      assert_in_delta slowness.at("a", (START_S + 30) * NS), slowness.at("b", (START_S + 30) * NS)
      assert_in_delta Math.log(2) / 2, slowness.mean((START_S + 30) * NS)
    end

    def test_a_host_whose_speed_is_unknown_has_the_mean
      slowness = SpeedEffect::HostSlowness.of(samples("a" => [800, 400]), units(host: "b"))
      assert_equal 0.0, slowness.at("b", START_S * NS)
    end

    def test_a_machine_of_one_speed_has_no_effect
      even = Array.new(20) { |minute| 900_000 + minute % 2 * 20_000 }
      assert_same SpeedEffect::NONE, SpeedEffect.of(following(even), samples("a" => even))
      assert_same SpeedEffect::NONE, SpeedEffect.of(following(even), [])
    end

    def test_finds_the_exponent_of_a_machine_that_is_slow_by_turns
      work = Array.new(20) { |minute| (minute / 2).even? ? 900_000 : 1_350_000 }
      effect = SpeedEffect.of(following(work), samples("a" => work))
      assert_predicate effect, :any?
      assert_in_delta 1.0, effect.running.value, 0.15
      assert_in_delta 0.0, effect.idle.value, 0.15
    end

    def test_few_units_have_no_effect
      work = Array.new(20) { |minute| (minute / 2).even? ? 900_000 : 1_350_000 }
      few = following(work).first(CoherencyEstimator::FEWEST - 1)
      assert_same SpeedEffect::NONE, SpeedEffect.of(few, samples("a" => work))
    end

    private

    NS = 1_000_000_000

    def units(at_s: [30], host: "a")
      at_s.map { |second| ExampleUnits.unit_sample(second * 1000, host:) }
    end

    # The first minute is twice as slow as the second one.
    def effect(running: 0.0, idle: 0.0)
      slowness = SpeedEffect::HostSlowness.of(samples("a" => [800, 400]), units(at_s: [30, 90]))
      running, idle = [running, idle].map { |value| Exponent.new(value:, deviation: 0.1) }
      SpeedEffect.new(slowness, running:, idle:)
    end

    def samples(work)
      work.flat_map do |host, times|
        times.each_with_index.map do |fixed_work_ns, minute|
          {at_s: START_S + 60 * (minute + 1), host:, fixed_work_ns:}
        end
      end
    end

    # Units of each minute that hold the GVL as long as the fixed work takes then.
    def following(work)
      random = Random.new(1)
      work.each_with_index.flat_map do |ns, minute|
        Array.new(60) do |second|
          unlike = Math.exp(random.rand(-0.5..0.5))
          ExampleUnits.unit_sample((minute * 60 + second) * 1000, concurrency: random.rand(3),
            running_ns: (8 * ns * unlike).round, in_flight_milli: random.rand(1000..3000))
        end
      end
    end
  end
end
