# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class BacklogReplayTest < Minitest::Test
    BacklogReplay = PoolThroughput::BacklogReplay

    include ExampleUnits

    # Of exponential holds and waits, what the closed model is exact for.
    def units(held: 8, idle: 24, **rest)
      random = Random.new(1)
      around = ->(ms) { (-Math.log(1 - random.rand) * ms * ExampleUnits::MS).round }
      Array.new(2000) { |index|
        unit_sample(index, kind: :job, running_ns: around[held], idle_ns: around[idle], acquisitions: 1,
          longest_hold_ns: 0, in_flight_milli: 1000, **rest)
      }
    end

    def throughput(unit_samples, threads, **options)
      at = options.slice(:processes)
      BacklogReplay.new(unit_samples, vcpus: 4, **options.except(:processes)).throughput(threads:, **at)
    end

    def mean(unit_samples, name)
      unit_samples.sum(&name).fdiv(unit_samples.size)
    end

    def test_agrees_with_the_closed_model_where_that_is_exact
      some = units
      model = ClosedModel.new(ServiceDemand.new(held_ns: mean(some, :running_ns),
        idle_ns: mean(some, :idle_ns)))
      [1, 3, 5, 12].each { |threads|
        assert_in_delta 1, throughput(some, threads) / model.throughput(threads), 0.05, threads
      }
    end

    def test_threads_that_only_compute_add_nothing
      some = units(idle: 0)
      [1, 4].each { |threads|
        assert_in_delta 1e9 / mean(some, :running_ns), throughput(some, threads), 4, threads
      }
    end

    def test_processes_have_a_gvl_each
      some = units
      assert_in_delta 2, throughput(some, 10, processes: 2) / throughput(some, 10), 0.1
    end

    # 8 ms and 24 of a unit, 2 and 6 between two.
    def test_what_threads_do_between_units_costs_time
      between = Scenario::DispatchCost.new(held_ns: 2.0 * ExampleUnits::MS,
        idle_ns: 6.0 * ExampleUnits::MS, acquisitions: 0.4)
      assert_in_delta 0.8, throughput(units, 1, between:) / throughput(units, 1), 0.01
    end

    # At one thread a unit costs what it cost alone, at five 46 % more than at one.
    def test_growth_is_of_the_units_in_flight
      some = units(idle: 0, in_flight_milli: 2000)
      alone, five = [1, 5].map { |threads| throughput(some, threads, cost: CoherencyCost.new(growth: 0.2)) }
      assert_in_delta 1.2e9 / mean(some, :running_ns), alone, 6
      assert_in_delta 1 + 0.2 * Math.log2(5), alone / five, 0.03
    end

    def test_is_the_same_every_time
      some = units
      assert_equal throughput(some, 3), throughput(some, 3)
      refute_equal throughput(some, 3), throughput(some, 3, seed: 2)
    end
  end
end
