# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class ServiceDemandTest < Minitest::Test
    MS = 1_000_000

    def test_shares_of_a_units_own_time
      demand = ServiceDemand.new(held_ns: 10 * MS, idle_ns: 25 * MS, native_ns: 5 * MS)
      assert_equal [40 * MS, 3.0, 0.75], [demand.own_ns, demand.ratio, demand.idle_share]
    end

    def test_a_share_of_io_is_a_demand
      demand = ServiceDemand.of_share(0.75, own_ns: 80 * MS)
      assert_in_delta 0.75, demand.idle_share
      assert_equal 80 * MS, demand.own_ns
      [1.0, -0.1].each { |share| assert_raises(ArgumentError) { ServiceDemand.of_share(share) } }
    end

    def test_refuses_what_no_unit_asks_for
      assert_raises(ArgumentError) { ServiceDemand.new(held_ns: 0, idle_ns: 5) }
      assert_raises(ArgumentError) { ServiceDemand.new(held_ns: 5, idle_ns: -1) }
    end

    # The first acquisition and each that follows an idle time.
    def test_hand_offs_depend_on_who_waits
      demand = ServiceDemand.new(held_ns: MS, idle_ns: 0, acquisitions: 9, handoff_ns: 50_000)
      assert_equal 10 * 50_000, demand.handoffs_ns(3)
      by_waiting = demand.with(handoff_ns: [20_000, 40_000])
      handoffs = [1, 1.5, 5].map { |waiting| by_waiting.handoffs_ns(waiting).round }
      assert_equal [200_000, 300_000, 400_000], handoffs
    end

    # A job runner fetches the next job.
    def test_work_between_units_is_a_part_of_all
      between = Scenario::DispatchCost.new(held_ns: MS, idle_ns: 2 * MS, acquisitions: 1)
      all = ServiceDemand.new(held_ns: 10 * MS, idle_ns: 20 * MS, acquisitions: 4, between:).in_all
      assert_equal [11 * MS, 11 * MS], [all.held_ns, all.cpu_ns]
      assert_equal [22 * MS, 5], [all.idle_ns, all.acquisitions]
      assert_equal all, all.in_all, "it counts once"
    end

    def test_units_in_flight_cost_each_other
      cost = CoherencyCost.new(growth: 0.1, idle_growth: 0.1, cold: 0.5)
      demand = ServiceDemand.new(held_ns: 10 * MS, idle_ns: 20 * MS, cost:)
      four = demand.in_flight(4)
      assert_in_delta 12.0, four.held_ns / MS
      assert_in_delta 24.0, four.idle_ns / MS
      assert_equal CoherencyCost::CONSTANT, four.cost, "it is in the times now"
    end

    # Idle time grows with those of the host: they share a database.
    def test_idle_time_grows_with_processes
      cost = CoherencyCost.new(idle_growth: 0.1, recorded_processes: 2)
      demand = ServiceDemand.new(held_ns: MS, idle_ns: 20 * MS, cost:)
      grown = [2, 4].map { |processes| demand.in_flight(2, processes:).idle_ns / MS }
      assert_in_delta 22.0, grown.first
      assert_in_delta 24.0, grown.last
    end
  end
end
