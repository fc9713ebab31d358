# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class ResourceLimitsTest < Minitest::Test
    MB = 1_000_000
    NOW = Candidate.new(processes: 2, threads: 5)

    def machine
      sample = SampleWindows.new
      Holdup::Analysis::ProcessReport.new(SampleProcesses.new(sample, servers: {"puma" => 2}).to_a,
        from_s: sample.from_s, to_s: sample.to_s).machines.first
    end

    def test_what_the_samples_say
      limits = ResourceLimits.of(machine, processes: 2)
      assert_equal [4.0, 2000 * MB, 140 * MB, 520 * MB],
        [limits.vcpus, limits.memory_limit_bytes, limits.process_bytes, limits.base_bytes]
    end

    # A database beside the application takes CPUs that no number of processes can use; in its pauses they are
    # free.
    def test_what_others_use_is_not_there
      limits = ResourceLimits.of(machine, processes: 2)
      assert_equal ResourceLimits::OtherCpus.always(machine.other_cpus), limits.others
      assert_equal 2.75, limits.with(others: ResourceLimits::OtherCpus.always(1.25)).free_vcpus
      assert_in_delta 0.8, limits.with(others: ResourceLimits::OtherCpus.always(4.0)).free_vcpus, 1e-9
      assert_equal 4.0, limits.with(others: ResourceLimits::OtherCpus::NONE).free_vcpus
      assert_equal ResourceLimits::OtherCpus::NONE, ResourceLimits.of(nil, processes: 1).others
    end

    # With 100 units per second they use 0.5 + 1 CPUs, half of which hinders.
    def test_what_others_use_changes_with_the_load
      others = ResourceLimits::OtherCpus.new(constant: 0.5, unit_ns: 10_000_000, mean: 1.5)
      limits = ResourceLimits.new(vcpus: 4, others:).fitted(3.25)
      assert_equal [3.25, 3.25, 2.75, 3.75],
        [limits.free_vcpus, limits.free_vcpus(100), limits.free_vcpus(200), limits.free_vcpus(0)]
      assert_equal 1.0, limits.fitted(1.0).hindering
      assert_equal 4.0, ResourceLimits.new(vcpus: 4).fitted(4.0).free_vcpus
    end

    def test_the_user_knows_better
      limits = ResourceLimits.of(machine, processes: 2, vcpus: 8, memory_limit_bytes: nil, connections: 100)
      assert_equal [8, 2000 * MB, 100], [limits.vcpus, limits.memory_limit_bytes, limits.connections]
    end

    def test_memory_grows_with_processes_and_threads
      limits = ResourceLimits.of(machine, processes: 2)
      assert_equal 800 * MB, limits.memory(NOW, current: NOW)
      assert_equal 940 * MB, limits.memory(NOW.with(processes: 3), current: NOW)
      assert_equal 808 * MB, limits.memory(NOW.with(threads: 6), current: NOW)
      assert_equal 768 * MB, limits.memory(NOW.with(threads: 1), current: NOW)
    end

    def test_unknown_limits
      limits = ResourceLimits.of(nil, processes: 1)
      assert_nil limits.vcpus
      assert_nil limits.memory(NOW, current: NOW)
      assert_equal 30, limits.with(hosts: 3).connections_of(NOW)
      assert_equal 42, limits.with(hosts: 3, other_connections: 12).connections_of(NOW)
    end
  end
end
