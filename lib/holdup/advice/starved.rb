# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # Threads that hold the GVL and get no CPU: other processes have it, here or on the host next door. Whoever waits for
    # the GVL waits for that too.
    module Starved
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
        return if situation.summary.empty? || split.share(:starved) < MUCH * split.share(:cpu) || split.share(:starved) < SEEN
        waiting = situation.summary.processes.members.filter_map(&:waiting_share)
        return if waiting.any? && waiting.max < QUEUED
        Finding.new(rule: :starved, remedy: :machine, weight: split.share(:starved),
          facts: {starved_share: split.share(:starved), cpu_share: split.share(:cpu), waiting_share: waiting.max, query: "report"})
      end
    end
  end
end
