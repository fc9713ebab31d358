# frozen_string_literal: true

require "test_helper"
require_relative "../../support/situations"

module Holdup::Advice
  # Rules that look at processes and what they run in.
  class MachinesTest < Minitest::Test
    include Situations

    LEVERS = [{"lever.processes.value": 1, "lever.processes.how": "workers N, then restart (SIGUSR2 to the master)", "lever.processes.where": "config/puma.rb:3"}].freeze

    def test_fewer_processes_than_cpus
      found = find(:VcpuMismatch, samples: container(processes: 1, vcpus: 4.0), levers: LEVERS, units: unit(cpu: 5))
      assert_equal [1, 4.0, 4], found.facts.values_at(:processes, :vcpus, :needed)
      assert_equal ["workers 4, then restart (SIGUSR2 to the master)", "config/puma.rb:3"], [found.change, found.where]
      assert_nil find(:VcpuMismatch, samples: container(processes: 4, vcpus: 4.0), units: unit(cpu: 5))
      assert_nil find(:VcpuMismatch, units: unit(cpu: 5)), "nobody knows"
    end

    def test_throttling
      throttled = container(periods: ->(passed) { passed * 10 }, throttled_periods: ->(passed) { passed }, throttled_ns: ->(passed) { passed * MS })
      found = find(:CpuThrottling, samples: throttled)
      assert_in_delta 0.1, found.facts[:throttled_share], 1e-9
      assert_equal 120 * MS, found.facts[:throttled_ns]
      assert_nil find(:CpuThrottling, samples: container(periods: ->(passed) { passed * 10 }, throttled_periods: 0))
      assert_nil find(:CpuThrottling)
    end

    def test_starved
      found = find(:Starved, units: unit(cpu: 10, starved: 4), samples: container(run_delay_share: 0.4))
      assert_in_delta 0.28, found.facts[:waiting_share], 0.02
      assert_nil find(:Starved, units: unit(cpu: 10, starved: 4), samples: container(run_delay_share: 0.001)), "nobody else had the CPU"
      assert_nil find(:Starved, units: unit(cpu: 10), samples: container(run_delay_share: 0.4))
    end

    def test_memory
      memory = {memory_limit_bytes: 1000, reclaimable_bytes: 100}
      found = find(:MemoryHeadroom, samples: container(memory_bytes: 1000, **memory))
      assert_equal [0.9, 900, 1000], found.facts.values_at(:used_share, :memory_bytes, :limit_bytes)
      assert_nil find(:MemoryHeadroom, samples: container(memory_bytes: 500, **memory))
      assert_nil find(:MemoryHeadroom, samples: container(memory_bytes: 1000)), "no limit"
    end

    def test_levers_in_the_words_of_the_server
      levers = Levers.new([{"lever.threads.value": 5, "lever.threads.how": "threads N, N"}, {"lever.threads.value": 4}])
      assert_equal [4, "threads 3, 3"], [levers["threads"].value, levers["threads"].line(3)]
      assert_equal({change: "threads 3, 3", where: nil}, levers.change("concurrency", "threads", 3))
      assert_empty levers.change("processes", 2)
    end
  end
end
