# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y02: on from Ruby's start, so that what only runs at boot is compiled too.
      module AtBoot
        # Of the processes' memory, as measured in applications.
        LEAST_SHARE = 0.08
        MOST_SHARE = 0.15

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          early = situation.summary.jits.origins.at_start
          return if early.empty?
          life = situation.summary.jits.on.find { |one| one.facts.at_boot? }
          Finding.new(rule: :jit_at_boot, remedy: :setting, change: OptionText.late(life),
            facts: {processes: early.size, by: early.filter_map(&:by).uniq.join(", "), least_share: LEAST_SHARE, most_share: MOST_SHARE, query: "doctor"})
        end
      end
    end
  end
end
