# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# A cause is named when its figure can explain an error of a tenth of the response.
module Holdup::Sizing
  class SelfTestErrorCausesTest < Minitest::Test
    MS = 1_000_000
    Recording = Struct.new(:demand, :measured, :held_per_cpu, :resource_wait_ns, :machine_speed)
    ServiceDemand = Struct.new(:cpu_ns, :held_ns)
    Traffic = Struct.new(:peak_rate, :blocks)
    Block = Struct.new(:rates)

    # A response of 100 ms, 10 of them on a CPU; one unit a second.
    def causes(held_per_cpu: 1.0, resource_ms: 0, stalled_ms: 5, peak: 1.0, rates: [1.0, 1.0], queued_ns: 0,
      work: [])
      measured = SelfTest::MeasuredFigures.new(queued_ns:, stalled_ns: stalled_ms * MS, handoff_ns: nil,
        response_ns: 100 * MS, p95_ns: 0, utilisation: 0.1)
      recording = Recording.new(ServiceDemand.new(10 * MS, 10 * MS), measured, held_per_cpu, resource_ms * MS,
        Holdup::Analysis::Machine::MachineSpeed.new({"a" => work}))
      SelfTest::ErrorCauses.new(recording, traffic: Traffic.new(peak, [Block.new(rates)]), processes: 1)
    end

    def test_nothing_is_named_where_no_figure_supports_it
      assert_equal [:unknown], causes.call
    end

    # 12 % more than the CPU used, but 1.2 ms of 100.
    def test_a_little_starvation_is_no_cause
      found = causes(held_per_cpu: 1.12)
      assert_equal [:unknown], found.call
      assert_in_delta 0.017, found.figures[:starved], 0.001
    end

    def test_holders_that_lack_a_cpu_for_a_twentieth_of_the_response
      assert_equal [:starved], causes(held_per_cpu: 1.5).call
    end

    # Those who waited for such holders waited for a CPU as well.
    def test_starvation_counts_the_stall_that_it_lengthened
      assert_equal [:unknown], causes(held_per_cpu: 1.2).call
      assert_equal [:starved], causes(held_per_cpu: 1.2, stalled_ms: 40).call
    end

    def test_waits_for_connections_and_locks
      assert_equal [:unknown], causes(resource_ms: 4).call
      assert_equal [:resource_waits], causes(resource_ms: 6).call
    end

    def test_a_gvl_near_saturation
      found = causes(peak: 90.0)
      assert_equal [:busy], found.call
      assert_in_delta 0.9, found.figures[:busy]
    end

    def test_a_load_that_swings
      assert_equal [:swings], causes(rates: [*[1.0] * 9, 6.0]).call
    end

    def test_a_machine_whose_speed_varies
      steady = causes(work: [100, 100, 100, 109, 109])
      assert_equal [:unknown], steady.call
      refute_predicate steady, :varied_machine?
      varied = causes(work: [100, 100, 100, 112, 112])
      assert_equal [:machine_speed], varied.call
      assert_predicate varied, :varied_machine?
    end

    def test_queue_time_that_is_unknown_explains_nothing_by_itself
      assert_equal %i[unknown queue_unknown], causes(queued_ns: nil).call
    end
  end
end
