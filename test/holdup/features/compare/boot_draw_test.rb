# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_units"

module Holdup::Compare
  class BootDrawTest < Minitest::Test
    METRIC = Comparison::Metric::ALL.fetch(:wall_mean)
    SPREAD = Holdup::Analysis::BootSpread::SpreadEstimate.assumed(0.1)
    ESTIMATE = Estimate.new(metric: METRIC, before: 1e8, after: 0.8e8, deviation: 0.03, freedom: 20)

    def side(pids, weights: pids.map { 1.0 }, setting: ExampleUnits::SETTING)
      units = pids.zip(weights).flat_map do |pid, weight|
        process = ExampleUnits::PROCESS.with(pid:)
        times = {idle_ns: 0, stalled_ns: 0}
        Array.new(4) { |index| ExampleUnits.unit_sample(index, process:, setting:, weight:, **times) }
      end
      empty = Holdup::Window.empty(series: units.first.series, setting:, host: "a",
        start_s: ExampleUnits::START_S, seconds: 60)
      Side.new(label: "", windows: [empty.with(count: units.size)], unit_samples: units,
        from_s: ExampleUnits::START_S, to_s: ExampleUnits::START_S + 60)
    end

    def variance(before, after, family = :wall) = BootDraw::BootDraws.new([before, after])[family]&.variance

    def test_one_process_a_side_is_two_draws
      assert_in_delta 2 * SPREAD.deviation**2, variance(side([1]), side([2])), 1e-9
    end

    def test_more_processes_are_less_of_a_draw
      assert_in_delta SPREAD.deviation**2 * (1 / 2.0 + 1 / 4.0), variance(side([1, 2]), side([3, 4, 5, 6])),
        1e-9
    end

    def test_a_process_counts_as_much_as_it_took
      most = side([1, 2], weights: [9.0, 1.0])
      assert_in_delta SPREAD.deviation**2 * (0.82 + 1), variance(most, side([3])), 1e-9
    end

    def test_the_same_processes_cancel
      assert_nil variance(side([1, 2]), side([1, 2]))
      assert_in_delta SPREAD.deviation**2 / 2, variance(side([1, 2]), side([1, 3])), 1e-9
    end

    def test_other_figures_do_not_depend_on_the_process
      assert_nil variance(side([1]), side([2]), :errors)
      assert_in_delta 4 * variance(side([1]), side([2])), variance(side([1]), side([2]), :wait), 1e-9
    end

    def test_the_interval_is_wider_and_the_other_one_is_kept
      found = BootDraw.new(spread: SPREAD, variance: 0.04**2).widened(ESTIMATE)
      assert_in_delta 0.05, found.deviation
      assert_operator found.freedom, :<, 20
      assert_equal ESTIMATE, found.without_boots
    end

    def test_whether_it_decides
      one, many = [2, 0.001].map { |share|
        BootDraw.new(spread: SPREAD, variance: share * SPREAD.deviation**2).widened(ESTIMATE)
      }
      assert_predicate one, :boots_decide?
      refute_predicate many, :boots_decide?
      refute_predicate ESTIMATE, :boots_decide?
      refute_predicate one.with(after: 1e8), :boots_decide?
    end
  end
end
