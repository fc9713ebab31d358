# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "measured_runs"

module Holdup::Advise::Sizing
  class ClosedModelTest < Minitest::Test
    RUNS = MeasuredRuns.all.select { |run| run.set == "closed2" }

    def closed(share)
      ClosedModel.new(ServiceDemand.of_share(share))
    end

    def test_throughput_of_measured_runs_where_amdahl_is_wrong
      RUNS.group_by(&:mix).each do |mix, runs|
        ours = MeasuredRuns.error(runs) { |run| ClosedModel.new(run.demand).throughput(run.threads) }
        amdahls = MeasuredRuns.error(runs, &:amdahl)
        assert_operator ours, :<=, 0.05, "#{mix}: #{ours} (Amdahl #{amdahls})"
        assert_operator amdahls, :>, ours, mix
      end
    end

    # One row of each mix tells the demand, the others are predicted.
    def test_blind_calibration_from_one_row
      [1, 3, 5].each do |known|
        errors = RUNS.reject { |run| run.mix == "convoy" }.group_by(&:mix).map do |_, runs|
          model = ClosedModel.new(runs.find { |run| run.threads == known }.demand)
          MeasuredRuns.error(runs.reject { |run| run.threads == known }) { |run|
            model.throughput(run.threads)
          }
        end
        assert_operator errors.sum / errors.size, :<=, 0.05, "calibrated at #{known}: #{errors}"
      end
    end

    def test_stall_of_measured_runs
      off = RUNS.sum { |run| (ClosedModel.new(run.demand).stall_ns(run.threads) / 1e6 - run.stall_ms).abs }
      assert_operator off / RUNS.sum(&:stall_ms), :<=, 0.05
    end

    def test_the_bounds_hold_and_the_lower_one_is_amdahls_law
      require "holdup/loader"
      [0.1, 0.45, 0.9].product([1, 2, 3, 5, 10, 50]).each do |share, threads|
        model = closed(share)
        assert_operator model.lower_bound(threads), :<=, model.throughput(threads) * 1.000001
        assert_operator model.throughput(threads), :<=, model.upper_bound(threads) * 1.000001
        assert_in_delta Holdup::Analysis::Amdahl.speed_up(share, threads),
          model.lower_bound(threads) / model.throughput(1), 1e-9
      end
    end

    def test_what_the_articles_ask
      assert_equal 3, closed(0.45).threads_for(0.9)
      assert_equal [3, 3, 6, 13], [0.45, 0.5, 0.75, 0.9].map { |share| closed(share).saturation }
      assert_in_delta 1.80, closed(0.45).speed_up(4), 0.005
    end

    def test_one_thread_never_stalls_and_no_io_gains_nothing
      assert_in_delta 0, closed(0.5).stall_ns(1), 1
      assert_in_delta 1, closed(0.0).speed_up(8), 1e-9
    end

    def test_a_cost_that_grows_with_the_units_in_flight
      growing = ClosedModel.new(ServiceDemand.new(held_ns: 10e6, idle_ns: 10e6,
        cost: CoherencyCost.new(growth: 0.1)))
      constant = ClosedModel.new(ServiceDemand.new(held_ns: 10e6, idle_ns: 10e6))
      assert_equal constant.throughput(1), growing.throughput(1)
      assert_in_delta constant.throughput(40) / (1 + 0.1 * Math.log2(40)), growing.throughput(40), 0.01
      assert_operator growing.threads_for(0.999), :<=, growing.saturation * 4
      marking = ClosedModel.new(ServiceDemand.new(held_ns: 10e6, idle_ns: 10e6,
        cost: CoherencyCost.new(marking: 0.1)))
      assert_in_delta constant.throughput(40) / (1 + 0.1 * 39), marking.throughput(40), 0.01
    end

    def test_waits_that_grow_with_the_units_in_flight_of_all_processes
      cost = CoherencyCost.new(idle_growth: 0.1, recorded_processes: 2)
      growing = ServiceDemand.new(held_ns: 1e3, idle_ns: 10e6, cost:)
      constant = ServiceDemand.new(held_ns: 1e3, idle_ns: 12e6)
      assert_equal ClosedModel.new(constant).throughput(4),
        ClosedModel.new(growing, processes: 2).throughput(4)
      assert_equal 10e6, growing.in_flight(2).idle_ns
    end

    # Replays of equal units are the truth: throughput within 2 %.
    def test_hand_offs_take_of_what_can_be_served
      {[104e6, 40e6, 454] => 75_000, [8e6, 16e6, 10] => 60_000, [20e6, 5e6, 50] => [20_000, 60_000, 90_000]}
        .each do |(held_ns, idle_ns, acquisitions), handoff_ns|
        demand = ServiceDemand.new(held_ns:, idle_ns:, acquisitions:, handoff_ns:)
        [1, 2, 3, 5, 10].each do |threads|
          replayed = replayed(demand, threads)
          predicted = ClosedModel.new(demand).throughput(threads)
          assert_in_epsilon replayed, predicted, 0.02, "#{acquisitions} acquisitions, #{threads} threads"
        end
      end
    end

    def replayed(demand, threads)
      unit = Trace::TraceUnit.new(arrival_ns: 0, held_ns: demand.held_ns.round, idle_ns: demand.idle_ns.round,
        acquisitions: demand.acquisitions)
      units = Array.new(800) { |index| unit.with(arrival_ns: index) }
      scenario = Scenario.of(processes: 1, threads:, vcpus: 8, handoff_ns: demand.handoff_ns,
        assignment: :shared)
      Replay.call(Trace.new(units), scenario).throughput
    end

    # 104 ms of CPU and 454 acquisitions of 73 us each: 7.3 requests a second, with any number of threads.
    def test_a_hand_off_is_paid_by_whoever_waits_and_never_alone
      demand = ServiceDemand.new(held_ns: 104e6, idle_ns: 40e6, acquisitions: 454, handoff_ns: 73_000)
      model = ClosedModel.new(demand)
      alone = ClosedModel.new(demand.with(handoff_ns: 0))
      assert_in_delta alone.throughput(1), model.throughput(1), 1e-9
      assert_in_delta 7.3, model.throughput(10), 0.05
      assert_in_delta 0.76, model.utilisation(10), 0.01
      assert_operator model.throughput(10), :<, model.throughput(2)
    end

    def test_what_lies_between_units_takes_of_what_can_be_served
      demand = ServiceDemand.new(held_ns: 8.0, idle_ns: 24.0,
        between: Scenario::DispatchCost.new(held_ns: 2.0, idle_ns: 6.0, acquisitions: 3.0))
      assert_in_delta 0.8,
        ClosedModel.new(demand.in_all).throughput(1) / ClosedModel.new(demand).throughput(1), 1e-9
      assert_in_delta 1e8, ClosedModel.new(demand.in_all).throughput(50), 1e5
      assert_equal [4.0, Scenario::DispatchCost::NOTHING], [demand.in_all.acquisitions, demand.in_all.between]
    end

    def test_nonsense_is_refused
      assert_raises(ArgumentError) { ServiceDemand.new(held_ns: 0, idle_ns: 1) }
      assert_raises(ArgumentError) { ServiceDemand.new(held_ns: 1, idle_ns: -1) }
      [1.0, -0.1].each { |share| assert_raises(ArgumentError) { ServiceDemand.of_share(share) } }
    end
  end
end
