# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Sizing
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
      assert_equal machine.other_cpus, limits.other_cpus
      assert_equal 2.75, limits.with(other_cpus: 1.25).free_vcpus
      assert_in_delta 0.8, limits.with(other_cpus: 4.0).free_vcpus, 1e-9
      assert_equal 4.0, limits.with(other_cpus: 0.0).free_vcpus
      assert_equal 0.0, ResourceLimits.of(nil, processes: 1).other_cpus
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
