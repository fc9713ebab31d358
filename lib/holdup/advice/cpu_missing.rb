# frozen_string_literal: true

module Holdup
  module Advice
    # Threads that hold the GVL and get no CPU: somebody else has it, here or on the host next door (see
    # Analysis::Machine::CpuStarvation; each has sentences of its own). Where the system does not tell how long threads
    # waited for a CPU, it may be no CPU, or code that waits with the GVL.
    module CpuMissing
      # Against the time on a CPU.
      MUCH = 0.1
      SEEN = 0.02
      # Of the time that threads wanted a CPU: below it nobody else had it.
      QUEUED = 0.03

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        split = situation.total.split
        if situation.summary.empty? || split.share(:starved) < MUCH * split.share(:cpu) || split.share(:starved) < SEEN
          return
        end
        waiting = situation.summary.processes.members.filter_map(&:waiting_share)
        return if waiting.any? && waiting.max < QUEUED
        who, facts = waiting.any? ? blamed(situation.machine) : [:unknown, {}]
        Finding.new(rule: who ? :"starved_#{who}" : :starved, remedy: :machine, weight: split.share(:starved),
          facts: {starved_share: split.share(:starved), cpu_share: split.share(:cpu), waiting_share: waiting.max, **facts, query: "report"})
      end

      # @return [Array(Symbol, Hash)] nil where nobody can tell who has it
      def blamed(machine)
        found = machine && Analysis::Machine::CpuStarvation.new(machine)
        who = found&.culprit or return [nil, {}]
        [who,
          {own: found.own&.round(2), taken: found.taken&.round(2), vcpus: found.vcpus,
           stolen_share: machine.steal_share}]
      end
      private_class_method :blamed
    end
  end
end
