# frozen_string_literal: true

require "test_helper"
require_relative "../../support/situations"

module Holdup::Advice
  class VcpuMismatchTest < Minitest::Test
    include Situations

    LEVERS = [{"lever.processes.value": 1, "lever.processes.how": "workers N, then restart (SIGUSR2 to the master)", "lever.processes.where": "config/puma.rb:3"}].freeze

    def test_fewer_processes_than_cpus
      told = told(found = find(VcpuMismatch, samples: container(processes: 1, vcpus: 4.0), levers: LEVERS, units: unit(cpu: 5)))
      assert_equal [1, 4.0, 4], found.facts.values_at(:processes, :vcpus, :needed)
      assert_match(/these processes can use about 2\d.\d % of the machine: .*\[holdup report\]\z/, told["seen"])
      assert_match(/In config\/puma.rb:3 .*:\n- workers 1\n\+ workers 4\z/, told["do"])
      assert_match(/not predicted/, told["expect"])
    end

    def test_what_it_brings_is_replayed
      recommendation = advised(PlayedRecording.new(minutes: 10, vcpus: 4.0))
      best = recommendation.best.candidate.processes
      other, same = [best + 1, best].map { |vcpus| find(VcpuMismatch, samples: container(processes: 1, vcpus: vcpus.to_f), units: unit(cpu: 5), recommendation:) }
      assert_operator other.interval.begin, :>, 0
      assert_nil same.gain, "the recommendation says so already"
    end

    def test_nothing_where_there_are_enough_or_nobody_knows
      assert_nil find(VcpuMismatch, samples: container(processes: 4, vcpus: 4.0), units: unit(cpu: 5))
      assert_nil find(VcpuMismatch, units: unit(cpu: 5))
    end
  end
end
