# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # Fewer processes than vCPUs: the rest of the machine is paid for and can't be used, and an alarm on CPU % never fires.
    module VcpuMismatch
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        ceiling = situation.machine&.ceiling
        return unless ceiling&.low?
        Finding.new(rule: :vcpu_mismatch, remedy: :machine, weight: ceiling.idle_vcpus / ceiling.vcpus,
          facts: {processes: ceiling.processes, vcpus: ceiling.vcpus, high_share: ceiling.high, needed: ceiling.processes_needed, query: "report"},
          change: situation.levers.change("processes", ceiling.processes_needed), **effect(situation, ceiling.processes_needed))
      end

      # Where the recommendation is the same number, it has said what that brings.
      def effect(situation, processes)
        advised = situation.recommendation.best.candidate.processes if situation.change?
        (advised == processes) ? {} : situation.effect(processes:)
      end
      private_class_method :effect
    end
  end
end
