# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class CpuMissingTest < Minitest::Test
    include Situations

    def test_others_have_the_cpu
      text = text_of(find(MachineRules::CpuMissing, units: unit(cpu: 10, starved: 4),
        samples: container(run_delay_share: 0.4)))
      beginning = /\ARequests and jobs held the GVL for 28.\d % of their time without a CPU and for 7\d.\d % /
      ending = /with one; threads waited for a CPU for 28.\d %/
      assert_match(/#{beginning}#{ending}/, text["seen"])
      assert_match(/fewer processes, or take more vCPUs/, text["do"])
      assert_match(/not predicted/, text["expect"])
    end

    # The sentence is complete when waits were not counted.
    def test_waits_for_a_cpu_that_were_not_measured
      text = text_of(find(MachineRules::CpuMissing, units: unit(cpu: 10, starved: 4), samples: container))
      beginning = /\ARequests and jobs held the GVL for 28.\d % .* with one\. /
      ending = /How long threads waited for a CPU was not measured here\. \[/
      assert_match(/#{beginning}#{ending}/, text["seen"])
    end

    # @param rates [Hash] milliseconds of CPU in each second, of counters of the container
    def starved(processes: 1, vcpus: 2.0, host_cpus: 4, **rates)
      counters = rates.transform_values { |ms| ->(passed) { passed * ms * Situations::MS } }
      find(MachineRules::CpuMissing, units: unit(cpu: 10, starved: 4),
        samples: container(processes:, vcpus:, run_delay_share: 0.4, host_cpus:, **counters))
    end

    def test_these_processes_themselves
      found = starved(processes: 2, vcpus: 1.0, cpu_ns: 1000, steal_ns: 0, host_busy_ns: 3900)
      assert_equal :starved_own, found.rule
      assert_match(/These processes alone use 1\.?0?0? of 1 vCPU\./, text_of(found)["seen"])
    end

    def test_other_processes_of_the_container
      found = starved(vcpus: 1.0, cpu_ns: 950, steal_ns: 0, host_busy_ns: 1000)
      assert_equal :starved_other_processes, found.rule
      assert_match(/not measured use 0\.45 of 1 vCPU, the measured ones 0\.50\./, text_of(found)["seen"])
    end

    def test_other_containers_of_the_host
      found = starved(cpu_ns: 500, steal_ns: 0, host_busy_ns: 3800)
      assert_equal :starved_host, found.rule
      assert_match(/others use 3\.30 of them, these processes 0\.50\./, text_of(found)["seen"])
    end

    def test_other_machines_of_the_hypervisor
      found = starved(cpu_ns: 500, steal_ns: 300, host_busy_ns: 900)
      assert_equal :starved_steal, found.rule
      assert_match(/25\.0 % of the CPU time that this machine wanted was stolen \(0\.30 CPUs\)\./,
        text_of(found)["seen"])
    end

    def test_the_culprit_is_unknown
      assert_equal :starved, starved(cpu_ns: 500, steal_ns: 1, host_busy_ns: 900).rule
    end

    def test_without_the_wait_for_a_cpu_the_cause_is_not_known
      found = find(MachineRules::CpuMissing, units: unit(cpu: 10, starved: 4))
      assert_equal :starved_unknown, found.rule
      assert_match(/the cause is not known/, text_of(found)["what"])
      assert_match(/How long threads waited for a CPU was not measured here\./, text_of(found)["seen"])
    end

    def test_no_finding_without_starved_units_or_waits_for_a_cpu
      assert_nil find(MachineRules::CpuMissing, units: unit(cpu: 10, starved: 4),
        samples: container(run_delay_share: 0.001))
      assert_nil find(MachineRules::CpuMissing, units: unit(cpu: 10),
        samples: container(run_delay_share: 0.4))
    end
  end
end
