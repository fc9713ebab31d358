# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class ExplanationTest < Minitest::Test
    Known = Data.define(:growth_estimate, :idle_growth, :machine_speed)
    Speed = Data.define(:variation)
    Estimate = CoherencyEstimator::IntervalEstimate

    def estimate(value, low, high)
      Estimate.unknown(1000).with(value:, low:, high:)
    end

    def draws(growth: estimate(0.1, 0.05, 0.15), variation: nil, handoffs: [50_000], seed: 1, **options)
      recording = Known.new(growth_estimate: growth, idle_growth: Estimate.unknown(10),
        machine_speed: Speed.new(variation:))
      drawn = Explanation::ExplanationDraws.new(recording, vcpus: 1.0..2.0, handoffs:,
        assignments: %i[random least_busy], users: [nil], counted: true, seed:, **options)
      Array.new(400) { drawn.draw }
    end

    def middle(values)
      sorted = values.sort
      [sorted[20], sorted[200], sorted[379]]
    end

    def test_the_same_seed_draws_the_same
      assert_equal draws, draws
      refute_equal draws, draws(seed: 2)
    end

    def test_growth_has_the_interval_of_its_estimate
      low, value, high = middle(draws.map(&:growth))
      assert_in_delta 0.05, low, 0.02
      assert_in_delta 0.1, value, 0.01
      assert_in_delta 0.15, high, 0.02
    end

    def test_an_unknown_growth_may_be_any
      low, _, high = middle(draws(growth: nil).map(&:growth))
      assert_operator low, :<, 0.05
      assert_operator high, :>, 0.25
    end

    def test_a_machine_that_varies_may_have_been_faster_or_slower
      steady, varied = [nil, 1.5].map { |variation| middle(draws(variation:).map(&:speed)) }
      assert_operator varied.last / varied.first, :>, steady.last / steady.first
      assert_in_delta 1.5, varied.last / varied.first, 0.15
    end

    def test_free_cpus_arrivals_and_assignments_are_all_that_may_be
      drawn = draws
      assert_in_delta 1.5, drawn.sum(&:free_vcpus) / drawn.size, 0.05
      assert_equal [[false, true], %i[least_busy random]],
        [drawn.map(&:counted).uniq.sort_by(&:to_s), drawn.map(&:assignment).uniq.sort]
    end

    def test_a_hand_off_may_depend_on_waiting_threads_and_has_a_limit
      some, others = draws.map(&:handoff_ns).partition { |ns| ns.is_a?(Array) }
      refute_empty some
      refute_empty others
      assert_operator [*some.flatten, *others].max, :<=, Handoff::LONGEST_NS
      assert draws(handoffs: [[10_000, 90_000]]).all? { |one| one.handoff_ns.size == 2 }
    end

    def test_the_cost_keeps_the_parts_of_its_growth
      explanation = draws.first.with(growth: 0.3, idle_growth: 0.2)
      demand = ServiceDemand.new(held_ns: 1, idle_ns: 1, cost: CoherencyCost.new(growth: 0.1, marking: 0.05))
      cost = explanation.cost(demand)
      assert_in_delta 0.2, cost.growth
      assert_in_delta 0.1, cost.marking
      assert_in_delta 0.2, cost.idle_growth
      none = explanation.cost(demand.with(cost: CoherencyCost::CONSTANT))
      assert_in_delta 0.3, none.growth
    end
  end
end
