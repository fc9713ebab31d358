# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_units"

module Holdup::Advise::Sizing
  class TraceTest < Minitest::Test
    MS = 1_000_000
    Unit = Trace::TraceUnit
    BETWEEN = Scenario::DispatchCost.new(held_ns: MS, idle_ns: 0, acquisitions: 1)

    # A request arrives when it is queued, not when its thread begins.
    def test_units_in_the_order_of_their_arrival
      samples = [ExampleUnits.unit_sample(30, queued_ns: 0), ExampleUnits.unit_sample(40, queued_ns: 25 * MS)]
      trace = Trace.of(samples)
      assert_equal [0, 15 * MS], trace.arrivals
    end

    def test_a_units_figures_are_possible
      odd = ExampleUnits.unit_sample(longest_hold_ns: 50 * MS, running_ns: 8 * MS, in_flight_milli: 0)
      unit = Unit.of(odd, 0)
      assert_equal [8 * MS, 1000], [unit.longest_ns, unit.in_flight_milli]
    end

    # It takes the GVL once more than it takes it back, and waits where it is idle.
    def test_words_for_the_engine
      assert_equal [5, 7, 4, 3], unit(0, held_ns: 5, idle_ns: 7, acquisitions: 3).words.first(4)
      assert_equal 1, unit(0, idle_ns: 7, acquisitions: 0).words[3]
      assert_equal 0, unit(0, idle_ns: 0, acquisitions: 0).words[3]
      assert_equal Holdup::ReplayEngine::UNIT_WORDS.size, unit(0).words.size
    end

    def test_twice_the_traffic_is_the_same_units_in_half_the_time
      assert_equal [0, 10, 20], trace(0, 20, 40).faster(2.0).arrivals
    end

    def test_a_backlog_waits_from_the_start_in_the_same_order
      backlog = trace(40, 0, 20).backlog
      assert_equal [0, 1, 2], backlog.arrivals
      assert_equal [1, 2, 3], backlog.units.map(&:held_ns), "the order in which they came"
    end

    def test_pools_have_the_places_of_their_units
      units = [unit(0, pool: 2), unit(1, pool: 0), unit(2, pool: 2)]
      assert_equal [[1], [], [0, 2]], Trace.new(units).pools
      assert_equal [[]], Trace::NONE.pools
    end

    # Candidates that are replayed share one trace with the work before each unit.
    def test_the_work_before_each_unit_is_added_once
      trace = trace(0, 20)
      assert_same trace, trace.with_work(Scenario::DispatchCost::NOTHING)
      assert_same trace.with_work(BETWEEN), trace.with_work(BETWEEN)
      assert_equal trace.units.map { |unit| BETWEEN.around(unit) }, trace.with_work(BETWEEN).units
    end

    def test_only_the_slices_of_others_are_paced
      others = Trace.new([unit(0, slice_ns: 100)])
      paced = Trace.new([unit(0, slice_ns: 100)], concurrent_units: others).paced(0.5)
      assert_equal [100, 50], [paced, paced.concurrent_units].map { |trace| trace.units.first.slice_ns }
      alone = trace(0)
      assert_same alone, alone.paced(0.5)
    end

    # Drawn several times, a unit is packed once: the engine sees no difference.
    def test_a_drawn_trace_is_that_of_its_units
      units = [unit(0, held_ns: 5), unit(0, held_ns: 9)]
      patterns = units.map { |one| Trace::DrawnTrace::UnitPattern.new(one) }
      drawn = Trace::DrawnTrace.new(patterns.values_at(0, 1, 0), [0, 10, 30])
      plain = Trace.new([unit(0, held_ns: 5), unit(10, held_ns: 9), unit(30, held_ns: 5)])
      assert_equal plain.packed, drawn.packed
      assert_equal plain.units, drawn.units
      assert_equal plain.backlog.packed, drawn.backlog.packed
      assert_equal plain.first(2).packed, drawn.first(2).packed
      assert_equal plain.with_work(BETWEEN).packed, drawn.with_work(BETWEEN).packed
    end

    private

    def unit(arrival_ns, held_ns: 1, idle_ns: 0, acquisitions: 0, **rest)
      Unit.new(arrival_ns:, held_ns:, idle_ns:, acquisitions:, **rest)
    end

    # Units that came so late, numbered by their order.
    def trace(*arrivals)
      ordered = arrivals.sort
      Trace.new(arrivals.map { |at_ns| unit(at_ns, held_ns: ordered.index(at_ns) + 1) })
    end
  end
end
