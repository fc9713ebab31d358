# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class VcpuMismatchTest < Minitest::Test
    include Situations

    LEVERS = [{"lever.processes.value": 1,
               "lever.processes.write": "workers N", "lever.processes.how": "puma_restart",
               "lever.processes.where": "config/puma.rb:3"}].freeze

    def test_fewer_processes_than_cpus
      text = text_of(found = find(MachineRules::VcpuMismatch, samples: container(processes: 1, vcpus: 4.0),
        levers: LEVERS,
        units: unit(cpu: 5)))
      assert_equal [1, 4.0, 4], found.facts.values_at(:processes, :vcpus, :needed)
      beginning = /These processes, together with what else runs there, /
      ending = /can use about 2\d.\d % of the machine: .*\[holdup report --full\]\z/
      assert_match(/#{beginning}#{ending}/, text["seen"])
      assert_match(/In config\/puma.rb:3 .*:\n- workers 1\n\+ workers 4\z/, text["do"])
      assert_match(/not predicted/, text["expect"])
    end

    one_ruby def test_the_number_of_processes_is_that_of_the_recommendation
      recommendation = advised(PlayedRecording.new(minutes: 10, vcpus: 4.0))
      best = recommendation.best.candidate.processes
      [best + 1, best].each do |vcpus|
        found = find(MachineRules::VcpuMismatch, samples: container(processes: 1, vcpus: vcpus.to_f),
          units: unit(cpu: 5),
          levers: LEVERS, recommendation:)
        assert_equal best, found.facts[:needed]
        assert_nil found.gain, "the recommendation says so already"
        assert_nil found.change, "the recommendation has the line to write"
      end
    end

    # Memory for a single process: all stays as it is, and so says the finding.
    def test_where_all_is_to_stay_no_other_number_is_named
      recommendation = advised(PlayedRecording.new(minutes: 4), process_bytes: 300_000_000,
        memory_limit_bytes: 500_000_000)
      assert_equal :keep, recommendation.verdict
      found = find(MachineRules::VcpuMismatch, samples: container(processes: 1, vcpus: 2.0),
        units: unit(cpu: 5),
        levers: LEVERS, recommendation:)
      assert_nil found.change
      refute_match(/Run \d/, text_of(found)["do"])
    end

    def test_no_finding_with_enough_processes_or_unknown_vcpus
      assert_nil find(MachineRules::VcpuMismatch, samples: container(processes: 4, vcpus: 4.0),
        units: unit(cpu: 5))
      assert_nil find(MachineRules::VcpuMismatch, units: unit(cpu: 5))
    end
  end
end
