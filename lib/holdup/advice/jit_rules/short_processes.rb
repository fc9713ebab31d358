# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y15: processes that end within a minute, such as one for each job: they compile and have nothing of
      # it.
      module ShortProcesses
        SHORT_S = 60
        MANY = 5

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          lives = situation.summary.jits.lives.select { |life|
            life.ended? && life.facts.on? && !life.worker?
          }
          short = lives.select { |life| life.age_s < SHORT_S }
          return if short.size < MANY || short.size * 2 < lives.size
          Finding.new(rule: :jit_short_processes, remedy: :setting, weight: 0.02, change: ProposedChange.new(new: "HOLDUP_JIT=off"),
            facts: {processes: short.size, all: lives.size, query: "report"})
        end
      end
    end
  end
end
