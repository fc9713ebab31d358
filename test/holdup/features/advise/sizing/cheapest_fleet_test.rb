# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/played_recording"

module Holdup::Advise::Sizing
  class CheapestFleetTest < Minitest::Test
    FleetPrices = CheapestFleet::FleetPrices
    UNITS = 1500
    PRICES = FleetPrices.new(vcpu_hour: 0.04, gb_hour: 0.005)
    ONE_HOST = PlayedRecording.new(minutes: 12, swing: 0.0)
    # Four hosts with two vCPUs and one process of five threads each.
    RECORDING = PlayedRecording.new(minutes: 12, swing: 0.0, rate: 100.0, hosts: 4).tap do |recording|
      recording.measured = ONE_HOST.measured
    end

    def fleet(slo = "p95=150ms", recording: RECORDING, prices: PRICES, hosts: 4, **limits)
      limits = ResourceLimits.new(vcpus: 2.0, hosts:, process_bytes: 500 << 20, **limits)
      objective = Objective.new(slo: Slo.parse(slo))
      found = recording.recommendation(limits:, objective:, units: UNITS)
      CheapestFleet.new(found, prices:, units: UNITS)
    end

    def response_ns(offer) = offer.prediction.responses[0.95]

    def test_keeps_the_slo_for_less
      found = fleet
      assert_nil found.reason
      assert_operator response_ns(found.best), :<=, 150_000_000
      assert_operator found.best.price_hour, :<, found.now.price_hour
      assert_in_delta found.saving, 1 - found.best.price_hour / found.now.price_hour
    end

    # No cheaper one of those that a plain search tries keeps it.
    one_ruby def test_is_the_cheapest
      found = fleet
      demand = RECORDING.recommendation.recording.demand
      cheaper = [1.0, 2.0, 4].flat_map do |vcpus|
        grid = Search::CandidateGrid.new(demand, current: found.now.candidate, vcpus:).to_a
        grid.product([*1..6]).map { |candidate, hosts| found.send(:offer, vcpus, candidate, hosts) }
      end
      cheaper = cheaper.select { |offer| offer.price_hour < found.best.price_hour - 1e-9 }
      assert_operator cheaper.size, :>, 10
      assert_empty cheaper.select { |offer| found.send(:keeps?, offer) }
    end

    def test_the_present_fleet_is_priced_as_it_is
      now = fleet.now
      assert_equal [4, 2.0, 1, 5],
        [now.hosts, now.vcpus, now.candidate.processes, now.candidate.threads]
      gib = 500 / 1024.0 / Holdup::Analysis::Thresholds::FULL
      assert_in_delta 4 * (2 * 0.04 + gib * 0.005), now.price_hour
    end

    one_ruby def test_a_stricter_promise_costs_more
      strict, loose = %w[p95=90ms p95=400ms].map { |slo| fleet(slo).best.price_hour }
      assert_operator strict, :>, loose
    end

    one_ruby def test_dear_memory_lowers_the_number_of_processes
      memory = fleet(prices: FleetPrices.new(vcpu_hour: 0.001, gb_hour: 1.0)).best
      cpu = fleet(prices: FleetPrices.new(vcpu_hour: 1.0, gb_hour: 0.001)).best
      processes = [memory, cpu].map { |offer| offer.hosts * offer.candidate.processes }
      assert_operator processes.first, :<=, processes.last
      bytes = [memory, cpu].map { |offer| offer.hosts * offer.prediction.memory_bytes }
      assert_operator bytes.first, :<=, bytes.last
    end

    def test_respects_the_connections_of_the_database
      limited = fleet(connections: 10).best
      assert_operator limited.hosts * limited.candidate.slots, :<=, 8
    end

    def test_published_defaults_on_the_same_hosts
      found = fleet
      assert_equal({rails: 3, puma: 5}, found.defaults.to_h { |default| [default.name, default.threads] })
      found.defaults.each do |default|
        assert_equal found.best.vcpus.floor, default.there.candidate.processes
        assert_equal default.threads, default.there.candidate.threads
        assert_operator default.needed.price_hour, :>=, found.best.price_hour
        assert_operator response_ns(default.needed), :<=, 150_000_000
      end
    end

    def test_a_promise_that_no_load_keeps_has_no_fleet
      assert_equal :slo_out_of_reach, fleet("p95=5ms").reason
    end

    def test_needs_a_time_to_keep
      assert_equal :no_slo, fleet("p95").reason
    end

    def test_needs_a_recording_of_requests
      assert_equal :no_recording, CheapestFleet.new(nil, prices: PRICES).reason
      jobs = PlayedRecording.new(kind: :job, shapes: {"SyncJob" => [1.0, 5, 45, 6]}, minutes: 3)
      assert_equal :jobs, fleet(recording: jobs).reason
    end

    def test_says_why_a_recording_allows_no_answer
      recording = PlayedRecording.new(minutes: 2)
      recording.problems = [:mixed_settings]
      assert_equal :mixed_settings, fleet(recording:).reason
    end

    def test_reads_prices
      assert_equal FleetPrices.new(vcpu_hour: 0.04, gb_hour: 0.005), FleetPrices.parse("vcpu=0.04,gb=0.005")
      ["", "0.04", "vcpu=0.04", "gb=1,vcpu=1", "vcpu=0,gb=1", "vcpu=-1,gb=1", "vcpu=1,gb=x"].each do |text|
        assert_nil FleetPrices.parse(text), text
      end
    end
  end
end
